// An agent of 120 steps in a window of 4 096 tokens, with calls and results that the model's template renders. The program decides
// what to call, so that it needs the vocabulary alone and runs in seconds: what it shows is how much of each prompt a cache
// keeps. In yours, the model decides, and `LlamaThread` evaluates.
//   llama_agent MODEL.gguf
#include <ctxmgr/adapters/llama.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int steps = 120;
constexpr std::int64_t window = 4'096;

int report(const ctxmgr::Error& error) {
  std::cerr << error.message << '\n';
  return 1;
}

/// A tool of the host.
std::string page_of_manual(int page) {
  std::string text = "Page " + std::to_string(page) + ".\n";
  for (int line = 1; line <= 15; ++line)
    text += "Part " + std::to_string(page * 100 + line) + " has a torque of " + std::to_string(10 + page + line % 7) +
            " Nm.\n";
  return text;
}

int run(const llama_model* model) {
  const char* const jinja = llama_model_chat_template(model, nullptr);
  auto chat = ctxmgr::LlamaTemplate::make(llama_model_get_vocab(model), jinja == nullptr ? "" : jinja);
  if (!chat) return report(chat.error());
  ctxmgr::LlamaThreadOptions options;
  options.system = "You read a manual page by page.";
  options.tools = {{"read_page",
                    "Reads a page of the manual.",
                    R"({"type":"object","properties":{"page":{"type":"integer"}},"required":["page"]})",
                    {}}};
  ctxmgr::LlamaConversation agent(*chat, window, std::move(options));
  agent.user("Find the torque of part 7311.");
  std::vector<llama_token> cached;
  std::size_t all = 0, evaluated = 0, largest = 0;
  for (int step = 1; step <= steps; ++step) {
    const auto prompt = agent.prompt(cached);
    if (!prompt) return report(prompt.error());
    all += prompt->tokens.size();
    evaluated += prompt->evaluated();
    largest = std::max(largest, prompt->tokens.size());
    cached = prompt->tokens;
    const auto id = "call_" + std::to_string(step);
    agent.call({id, "read_page", "{\"page\": " + std::to_string(step) + "}", {}});
    agent.result(id, page_of_manual(step));
  }
  std::cout << steps << " steps, largest prompt " << largest << " of " << window << " tokens\n"
            << "a step: prompt " << all / steps << " tokens, evaluated " << evaluated / steps << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return report({ctxmgr::ErrorCode::invalid_argument, "usage: llama_agent MODEL.gguf", {}});
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  auto parameters = llama_model_default_params();
  parameters.vocab_only = true;
  const std::unique_ptr<llama_model, void (*)(llama_model*)> model(llama_model_load_from_file(argv[1], parameters),
                                                                   llama_model_free);
  if (!model) return report({ctxmgr::ErrorCode::not_found, std::string("no model: ") + argv[1], {}});
  return run(model.get());
}
