#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/adapters/curl_llm_client.hpp"
#include "support/fault_server.hpp"

namespace ctxmgr::test {

inline constexpr const char* canary_key = "sk-canary-0123456789abcdef";

/// No backoff to wait for: the next attempt comes after a millisecond.
inline const std::vector<std::string> retry_at_once = {"retry-after-ms: 1"};

inline std::string chat_reply(const std::string& text) {
  const Json reply = {
      {"model", "test-model"},
      {"choices", {{{"index", 0}, {"finish_reason", "stop"}, {"message", {{"role", "assistant"}, {"content", text}}}}}},
      {"usage", {{"prompt_tokens", 11}, {"completion_tokens", 7}, {"prompt_tokens_details", {{"cached_tokens", 4}}}}}};
  return dump_json(reply);
}

inline std::string sse(const std::vector<std::string>& data) {
  std::string stream;
  for (const auto& line : data) stream += "data: " + line + "\n\n";
  return stream;
}

/// "Hello" in two pieces, with usage.
inline std::string chat_stream() {
  return sse({R"({"model":"test-model","choices":[{"delta":{"role":"assistant","content":"Hel"}}]})",
              R"({"choices":[{"delta":{"content":"lo"}}]})", R"({"choices":[{"delta":{},"finish_reason":"stop"}]})",
              R"({"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}})", "[DONE]"});
}

inline const std::vector<std::string> event_stream = {"content-type: text/event-stream; charset=utf-8"};

inline LlmRequest ask(std::string text) {
  LlmRequest request;
  request.messages.emplace_back();
  request.messages.back().content = std::move(text);
  return request;
}

inline CurlLlmClientOptions options_for(const std::string& url) {
  CurlLlmClientOptions options;
  options.base_url = url;
  options.api_key = canary_key;
  options.model = "test-model";
  return options;
}

inline std::unique_ptr<CurlLlmClient> open_client(const CurlLlmClientOptions& options) {
  auto client = make_curl_llm_client(options);
  EXPECT_TRUE(client) << client.error().message;
  return client ? *std::move(client) : nullptr;
}

inline CallOptions cancelled_after(std::chrono::milliseconds delay) {
  CallOptions call;
  const auto at = std::chrono::steady_clock::now() + delay;
  call.cancellation = CancellationToken([at] { return std::chrono::steady_clock::now() >= at; });
  return call;
}

inline CallOptions within(std::chrono::milliseconds time) {
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + time;
  return call;
}

}  // namespace ctxmgr::test
