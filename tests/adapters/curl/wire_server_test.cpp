// Against a server that others wrote: `tests/support/wire_servers.sh run ctest -R curl` starts it.
#include <gtest/gtest.h>

#include "adapters/curl/client_fixture.hpp"
#include "support/environment.hpp"

namespace ctxmgr::test {
namespace {

class WireServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_AIMOCK_URL");
    url_ = url;
  }

  [[nodiscard]] std::unique_ptr<CurlLlmClient> client(WireFormat format) const {
    auto options = options_for(format == WireFormat::anthropic_messages ? url_ : url_ + "/v1");
    options.wire_format = format;
    options.model = format == WireFormat::anthropic_messages ? "claude-sonnet-4" : "gpt-4o-mini";
    // Sequences of replies are the server's, by this name: each test has its own.
    options.headers["x-test-id"] = ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                                   std::to_string(static_cast<int>(format)) + std::to_string(getpid());
    return open_client(options);
  }

  static constexpr WireFormat formats[] = {WireFormat::openai_chat, WireFormat::openai_responses,
                                           WireFormat::anthropic_messages};
  std::string url_;
};

TEST_F(WireServerTest, CompletesInEveryFormat) {
  for (const auto format : formats) {
    const auto response = client(format)->complete(ask("please say hello"), {});
    ASSERT_TRUE(response) << static_cast<int>(format) << response.error().message;
    EXPECT_EQ(text_of(response->message), "Hello from another's server.");
    EXPECT_EQ(response->finish_reason, FinishReason::stop);
    EXPECT_GT(response->usage.prompt_tokens, 0);
    EXPECT_GT(response->usage.completion_tokens, 0);
  }
}

TEST_F(WireServerTest, StreamsInEveryFormat) {
  for (const auto format : formats) {
    std::string text;
    int pieces = 0;
    const auto collect = [&](std::string_view piece) {
      text += piece;
      ++pieces;
    };
    const auto response = client(format)->stream(ask("please say hello"), collect, {});
    ASSERT_TRUE(response) << static_cast<int>(format) << response.error().message;
    EXPECT_EQ(text, "Hello from another's server.");
    EXPECT_EQ(text_of(response->message), text);
    EXPECT_GT(pieces, 1);
    EXPECT_GT(response->usage.completion_tokens, 0);
  }
}

TEST_F(WireServerTest, CallsToolsInEveryFormat) {
  for (const auto format : formats) {
    const auto model = client(format);
    auto request = ask("find the audit");
    request.tools.push_back({"search", "Searches.", R"({"type":"object","properties":{"q":{"type":"string"}}})", ""});
    const auto call = model->complete(request, {});
    ASSERT_TRUE(call) << static_cast<int>(format) << call.error().message;
    ASSERT_EQ(call->message.tool_calls.size(), 1U);
    EXPECT_EQ(call->finish_reason, FinishReason::tool_calls);
    EXPECT_EQ(parse_json(call->message.tool_calls[0].arguments_json), Json({{"q", "audit"}}));
    request.messages.push_back(call->message);
    auto& result = request.messages.emplace_back();
    result.role = Role::tool;
    result.tool_call_id = call->message.tool_calls[0].id;
    result.content = "page 3";
    const auto answer = model->complete(request, {});
    ASSERT_TRUE(answer) << static_cast<int>(format) << answer.error().message;
    EXPECT_EQ(text_of(answer->message), "The audit is on page 3.");
  }
}

TEST_F(WireServerTest, StreamsToolCallsInEveryFormat) {
  for (const auto format : formats) {
    const auto call = client(format)->stream(ask("find the audit"), {}, {});
    ASSERT_TRUE(call) << static_cast<int>(format) << call.error().message;
    ASSERT_EQ(call->message.tool_calls.size(), 1U);
    EXPECT_EQ(call->message.tool_calls[0].name, "search");
    EXPECT_EQ(parse_json(call->message.tool_calls[0].arguments_json), Json({{"q", "audit"}}));
  }
}

TEST_F(WireServerTest, StructuredOutputComesAsAskedFor) {
  auto request = ask("answer as JSON");
  request.response_schema_json =
      R"({"type":"object","properties":{"answer":{"type":"integer"}},"required":["answer"],"additionalProperties":false})";
  const auto response = client(WireFormat::openai_chat)->complete(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(parse_json(text_of(response->message)), Json({{"answer", 42}}));
}

TEST_F(WireServerTest, WaitsWhenToldTo) {
  const auto start = std::chrono::steady_clock::now();
  const auto response = client(WireFormat::openai_chat)->complete(ask("busy at first"), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text_of(response->message), "Now there is time.");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(WireServerTest, KnowsAPromptThatIsTooLong) {
  for (const auto format : formats) {
    EXPECT_EQ(client(format)->complete(ask("too long for you"), {}).error().code, ErrorCode::context_length_exceeded);
  }
}

TEST_F(WireServerTest, FaultsAreTyped) {
  EXPECT_EQ(client(WireFormat::openai_chat)->complete(ask("hang up"), {}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(client(WireFormat::openai_chat)->complete(ask("talk nonsense"), {}).error().code, ErrorCode::bad_data);
  for (const auto format : formats) {
    const auto cut = client(format)->stream(ask("stop in the middle"), [](std::string_view) {}, {});
    EXPECT_EQ(cut.error().code, ErrorCode::unavailable) << static_cast<int>(format);
  }
}

TEST_F(WireServerTest, EmbedsTexts) {
  auto options = options_for(url_ + "/v1");
  options.model = "text-embedding-3-small";
  const auto embedder = make_curl_embedder(options);
  const auto one = (*embedder)->embed({"first passage"}, EmbeddingInput::passage, {});
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->vectors, (std::vector<std::vector<float>>{{0.25F, -0.5F, 1}}));
  const auto two = (*embedder)->embed({"something", "else"}, EmbeddingInput::query, {});
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->vectors.size(), 2U);
}

}  // namespace
}  // namespace ctxmgr::test
