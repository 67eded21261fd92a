// What a host does first: values, a port of its own, the ports that come along. Compiled as C++17, on the public API.
#include <cstdio>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

#if __cplusplus != 201703L
#error "a consumer compiles as C++17"
#endif

namespace {

class Echo final : public ctxmgr::LlmClient {
 public:
  ctxmgr::Result<ctxmgr::LlmResponse> complete(const ctxmgr::LlmRequest& request, const ctxmgr::CallOptions&) override {
    if (request.messages.empty()) return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument, "nothing to echo");
    ctxmgr::LlmResponse response;
    response.message = request.messages.back();
    return response;
  }
};

int complain(const char* what) {
  std::fprintf(stderr, "consumer: %s\n", what);
  return 1;
}

}  // namespace

int main() {
  ctxmgr::ConversationMessage message;
  message.content = "Where does the time go?";
  if (ctxmgr::text_of(message) != "Where does the time go?") return complain("text_of");

  const auto counter = ctxmgr::make_approximate_token_counter();
  if (ctxmgr::count_messages(*counter, {message}) <= counter->reply_priming_tokens()) return complain("count_messages");

  const auto store = ctxmgr::make_memory_key_value_store();
  ctxmgr::KeyValueWrite write;
  write.key = "key";
  write.value = "value";
  if (!store->write("consumer", {write}, {})) return complain("write");
  const auto values = store->read("consumer", {"key"}, {});
  if (!values || !values->front() || values->front()->value != "value") return complain("read");

  Echo echo;
  ctxmgr::LlmRequest request;
  request.messages.push_back(message);
  const auto responses = echo.complete_all({request, ctxmgr::LlmRequest{}}, {});
  if (responses.size() != 2 || !responses[0] || responses[1]) return complain("complete_all");
  if (ctxmgr::to_string(responses[1].error().code) != "invalid_argument") return complain("to_string");
  return 0;
}
