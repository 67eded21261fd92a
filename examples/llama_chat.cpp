// A chat with a model of llama.cpp in this process, in a window of 2 048 tokens that the conversation outgrows: reads lines,
// answers, and says after each how many tokens the cache kept.
//   llama_chat MODEL.gguf [FOLDER_OF_BACKENDS]
#include <ctxmgr/adapters/llama.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::int32_t most_reply_tokens = 64;

int report(const ctxmgr::Error& error) {
  std::cerr << error.message << '\n';
  return 1;
}

struct Reply {
  std::string text;
  std::vector<llama_token> tokens;  // those that the model has evaluated
};

Reply generate(llama_context* ctx, llama_seq_id sequence, std::size_t position) {
  const auto* const vocab = llama_model_get_vocab(llama_get_model(ctx));
  const std::unique_ptr<llama_sampler, void (*)(llama_sampler*)> sampler(llama_sampler_init_greedy(),
                                                                         llama_sampler_free);
  auto batch = llama_batch_init(1, 0, 1);
  Reply reply;
  for (std::int32_t i = 0; i < most_reply_tokens; ++i) {
    auto token = llama_sampler_sample(sampler.get(), ctx, -1);
    if (llama_vocab_is_eog(vocab, token)) break;
    char piece[256];
    const auto size = llama_token_to_piece(vocab, token, piece, sizeof piece, 0, false);
    if (size > 0) reply.text.append(piece, static_cast<std::size_t>(size));
    batch.n_tokens = 1;
    batch.token[0] = token;
    batch.pos[0] = static_cast<llama_pos>(position + reply.tokens.size());
    batch.n_seq_id[0] = 1;
    batch.seq_id[0][0] = sequence;
    batch.logits[0] = 1;
    if (llama_decode(ctx, batch) != 0) break;
    reply.tokens.push_back(token);
  }
  llama_batch_free(batch);
  return reply;
}

int chat(llama_context* ctx) {
  ctxmgr::LlamaThreadOptions options;
  options.system = "You answer in one sentence.";
  options.reply_tokens = most_reply_tokens;
  ctxmgr::LlamaThread thread(ctx, std::move(options));
  for (std::string line; std::getline(std::cin, line);) {
    auto turn = thread.user(line);
    if (!turn) return report(turn.error());
    if (auto done = turn->evaluate(); !done) return report(done.error());
    const auto reply = generate(ctx, thread.sequence(), turn->tokens.size());
    std::cout << reply.text << "\n  (kept " << turn->kept << ", evaluated " << turn->evaluated() << ")\n";
    thread.assistant(reply.text, reply.tokens);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return report({ctxmgr::ErrorCode::invalid_argument, "usage: llama_chat MODEL.gguf [FOLDER_OF_BACKENDS]", {}});
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  if (argc > 2) ggml_backend_load_all_from_path(argv[2]);
  const std::unique_ptr<llama_model, void (*)(llama_model*)> model(
      llama_model_load_from_file(argv[1], llama_model_default_params()), llama_model_free);
  if (!model) return report({ctxmgr::ErrorCode::not_found, std::string("no model: ") + argv[1], {}});
  auto parameters = llama_context_default_params();
  parameters.n_ctx = 2'048;
  parameters.n_threads = parameters.n_threads_batch = 2;
  const std::unique_ptr<llama_context, void (*)(llama_context*)> ctx(llama_init_from_model(model.get(), parameters),
                                                                     llama_free);
  return ctx ? chat(ctx.get()) : report({ctxmgr::ErrorCode::internal, "no context", {}});
}
