// Against a second server that others wrote: `tests/support/wire_servers.sh run ctest -R curl` starts it. What it answers
// is in support/mock_llm.yaml.
#include <gtest/gtest.h>

#include "adapters/curl/client_fixture.hpp"
#include "support/environment.hpp"

namespace ctxmgr::test {
namespace {

class MockLlmServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_MOCK_LLM_URL");
    url_ = url;
  }

  [[nodiscard]] std::unique_ptr<CurlLlmClient> client(WireFormat format, const std::string& below = "") const {
    auto options = options_for(format == WireFormat::anthropic_messages ? url_ : url_ + below + "/v1");
    options.wire_format = format;
    options.max_attempts = 1;
    if (!below.empty()) options.message_shape = message_shape("llama_cpp");
    return open_client(options);
  }

  std::string url_;
};

/// Two who speak in a row, and instructions in the middle.
LlmRequest out_of_shape() {
  LlmRequest request;
  request.messages = {{Role::system, "Be brief."}, {Role::user, "One."},         {Role::user, "Two."},
                      {Role::assistant, "Yes."},   {Role::system, "In metres."}, {Role::user, "show my roles"}};
  return request;
}

TEST_F(MockLlmServerTest, CompletesInEveryFormat) {
  for (const auto format : {WireFormat::openai_chat, WireFormat::openai_responses, WireFormat::anthropic_messages}) {
    const auto response = client(format)->complete(ask("please say hello"), {});
    ASSERT_TRUE(response) << static_cast<int>(format) << response.error().message;
    EXPECT_EQ(text_of(response->message), "Hello from a second server.");
    EXPECT_EQ(response->finish_reason, FinishReason::stop);
    EXPECT_EQ(response->usage.prompt_tokens, format == WireFormat::anthropic_messages ? 12 : 9);
    EXPECT_EQ(response->usage.completion_tokens, 6);
  }
}

TEST_F(MockLlmServerTest, StreamsPieceByPiece) {
  std::string text;
  int pieces = 0;
  const auto response = client(WireFormat::openai_chat)
                            ->stream(ask("please say hello"),
                                     [&](std::string_view piece) {
                                       text += piece;
                                       ++pieces;
                                     },
                                     {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text, "Hello from a second server.");
  EXPECT_GE(pieces, 4);
}

TEST_F(MockLlmServerTest, AListArrivesInTheServicesShape) {
  const auto roles = [&](WireFormat format, const std::string& below) {
    const auto response = client(format, below)->complete(out_of_shape(), {});
    return response ? text_of(response->message) : response.error().message;
  };
  EXPECT_EQ(roles(WireFormat::openai_chat, ""), "system user user assistant system user");
  EXPECT_EQ(roles(WireFormat::openai_chat, "/local"), "system user assistant user");
  EXPECT_EQ(roles(WireFormat::anthropic_messages, ""), "user assistant user");
}

TEST_F(MockLlmServerTest, AnotherShapeIsRefusedThere) {
  auto options = options_for(url_ + "/local/v1");
  options.max_attempts = 1;
  const auto response = open_client(options)->complete(out_of_shape(), {});
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("must"), std::string::npos) << response.error().message;
}

TEST_F(MockLlmServerTest, ARefusedKeyIsNotRepeated) {
  const auto response = client(WireFormat::openai_chat)->complete(ask("show my key"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::denied);
  EXPECT_EQ(response.error().message.find(canary_key), std::string::npos) << response.error().message;
}

TEST_F(MockLlmServerTest, AnErrorInsideAStreamIsTyped) {
  const auto response = client(WireFormat::openai_chat)->stream(ask("show my key"), [](std::string_view) {}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::denied) << response.error().message;
}

TEST_F(MockLlmServerTest, NoRuleIsNotFound) {
  EXPECT_EQ(client(WireFormat::openai_chat)->complete(ask("nothing of the kind"), {}).error().code,
            ErrorCode::not_found);
}

}  // namespace
}  // namespace ctxmgr::test
