// Fits a conversation of 600 messages into 200 tokens, counted exactly. Needs no key and no server.
#include <ctxmgr/adapters/bpe_encoding.hpp>
#include <ctxmgr/ctxmgr.hpp>
#include <iostream>
#include <string>

int main() {
  ctxmgr::Context context;
  auto& history = context.conversation_history;
  history.push_back({ctxmgr::Role::system, "You look after a harbour."});
  for (int day = 1; day < 300; ++day) {
    const std::string ship = "Ship " + std::to_string(day * 37) + " came in at berth " + std::to_string(day % 9) + ".";
    history.push_back({ctxmgr::Role::user, "Day " + std::to_string(day) + ": who came in?"});
    history.push_back({ctxmgr::Role::assistant, ship});
  }
  history.push_back({ctxmgr::Role::user, "At which berth was ship 1554?"});

  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_request("gpt-5.6");
  request.budget.max_input_tokens = 200;

  ctxmgr::ContextManagerOptions options;
  options.token_counters = ctxmgr::exact_counters();
  const ctxmgr::ContextManager manager(options);
  const auto built = manager.build(context, request);
  if (!built) {
    std::cerr << built.error().message << '\n';
    return 1;
  }
  for (const auto& message : built->messages) std::cout << to_string(message.role) << ": " << text_of(message) << '\n';
  std::cout << '\n' << ctxmgr::explain(built->metadata);
}
