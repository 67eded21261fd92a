// A host whose own nlohmann-json is configured differently from the one that ctxmgr was compiled with.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "ctxmgr/core/json_text.hpp"

#if !JSON_DIAGNOSTICS
#error "has to be compiled with JSON_DIAGNOSTICS=1"
#endif

int main() {
  const nlohmann::json mine = {{"role", "user"}, {"content", "hello"}, {"x_host", {1, 2, 3}}};
  const auto message = ctxmgr::from_json<ctxmgr::ConversationMessage>(mine.dump());
  if (!message) {
    std::fprintf(stderr, "json_consumer: %s\n", message.error().message.c_str());
    return 1;
  }
  const auto back = nlohmann::json::parse(ctxmgr::to_openai_json(std::vector<ctxmgr::ConversationMessage>{*message}));
  return back == nlohmann::json::array({mine}) ? 0 : 1;
}
