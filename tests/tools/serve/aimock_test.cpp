// The proxy in front of a server that others wrote: `tests/support/wire_servers.sh run ctest -R AimockTest` starts it.
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/environment.hpp"
#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

class AimockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_AIMOCK_URL");
    proxy_ = std::make_unique<RunningProxy>(url);
  }

  /// A client of the library's own that takes the proxy for the service.
  [[nodiscard]] std::unique_ptr<ctxmgr::CurlLlmClient> client(ctxmgr::WireFormat format) const {
    const bool is_anthropic = format == ctxmgr::WireFormat::anthropic_messages;
    ctxmgr::CurlLlmClientOptions options;
    options.base_url = "http://127.0.0.1:" + std::to_string(proxy_->port) + (is_anthropic ? "" : "/v1");
    options.api_key = canary_key;
    options.wire_format = format;
    options.model = is_anthropic ? "claude-sonnet-4" : "gpt-4o-mini";
    options.max_attempts = 1;
    options.headers["x-test-id"] = "serve" + std::to_string(static_cast<int>(format)) + std::to_string(getpid());
    auto made = ctxmgr::make_curl_llm_client(options);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  static ctxmgr::LlmRequest ask(const char* words) {
    ctxmgr::LlmRequest request;
    request.messages = {{ctxmgr::Role::user, words}};
    return request;
  }

  static constexpr ctxmgr::WireFormat formats[] = {ctxmgr::WireFormat::openai_chat,
                                                   ctxmgr::WireFormat::anthropic_messages};
  std::unique_ptr<RunningProxy> proxy_;
};

TEST_F(AimockTest, AClientFindsTheServiceBehindTheProxy) {
  for (const auto format : formats) {
    const auto whole = client(format)->complete(ask("please say hello"), {});
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(ctxmgr::text_of(whole->message), "Hello from another's server.");
    std::string text;
    const auto streamed =
        client(format)->stream(ask("please say hello"), [&](std::string_view piece) { text += piece; }, {});
    ASSERT_TRUE(streamed) << streamed.error().message;
    EXPECT_EQ(text, "Hello from another's server.");
  }
  EXPECT_EQ(proxy_->proxy->ledger().steps().size(), 4U);
  for (const auto& step : proxy_->proxy->ledger().steps()) EXPECT_EQ(step->status, 200);
}

TEST_F(AimockTest, TheServicesFaultsAreItsOwn) {
  for (const auto format : formats) {
    const auto too_long = client(format)->complete(ask("too long for you"), {});
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().code, ctxmgr::ErrorCode::context_length_exceeded) << too_long.error().message;
    const auto gone = client(format)->complete(ask("hang up"), {});
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ctxmgr::ErrorCode::unavailable) << gone.error().message;
    const auto cut = client(format)->stream(ask("stop in the middle"), [](std::string_view) {}, {});
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ctxmgr::ErrorCode::unavailable) << cut.error().message;
  }
  EXPECT_EQ(proxy_->proxy->ledger().totals().in_flight, 0);
}

}  // namespace
}  // namespace ctxpack::serve::test
