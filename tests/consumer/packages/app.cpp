// What a newcomer writes first: a question and a document within a budget, counted exactly, and a session in a file.
#include <ctxmgr/adapters/bpe_encoding.hpp>
#include <ctxmgr/adapters/sqlite_stores.hpp>
#include <ctxmgr/ctxmgr.hpp>
#include <iostream>

int main() {
  auto store = ctxmgr::make_sqlite_key_value_store({"app.db"});
  auto counter = ctxmgr::make_bpe_token_counter("o200k_base");
  if (!store || !counter) return 2;
  ctxmgr::ContextManagerOptions options;
  options.token_counters.push_back(std::move(*counter));
  const ctxmgr::ContextManager manager(options);

  ctxmgr::Context context;
  context.conversation_history = {{ctxmgr::Role::user, "Which harbour is the deepest?"}};
  std::string text;
  for (int i = 0; i < 500; ++i) text += "Harbour " + std::to_string(i) + " is four metres deep and has two piers.\n";
  context.artifacts = {ctxmgr::make_document("harbours.md", text + "The deepest harbour is Vigo, at thirty metres.\n")};
  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_request("gpt-4o");
  request.budget.max_input_tokens = 600;
  const auto built = manager.build(context, request);
  if (!built) {
    std::cerr << built.error().message << '\n';
    return 1;
  }
  const auto sent = ctxmgr::to_openai_json(built->messages);
  const auto tokens = built->metadata.input_tokens_used;
  std::cout << tokens << " tokens\n";
  return sent.find("Vigo") != std::string::npos && tokens <= 600 && built->metadata.tokens_exact ? 0 : 1;
}
