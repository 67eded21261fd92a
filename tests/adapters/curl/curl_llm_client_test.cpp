#include "ctxmgr/adapters/curl_llm_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/curl/client_fixture.hpp"
#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::test {
namespace {

using namespace std::string_literals;
using ::testing::IsEmpty;

/// Repeats the last user message.
void echo(ServerConnection& connection, const ReceivedRequest& request, int) {
  const auto body = parse_json(request.body);
  const auto* const text = get_string((*body)["messages"].back(), "content");
  connection.reply(200, chat_reply(text == nullptr ? "" : *text));
}

TEST(CurlLlmClientTest, CompletesAndReportsUsage) {
  FaultServer server(echo);
  const auto response = open_client(options_for(server.url() + "/v1"))->complete(ask("hello"), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text_of(response->message), "hello");
  EXPECT_EQ(response->finish_reason, FinishReason::stop);
  EXPECT_EQ(response->model, "test-model");
  EXPECT_EQ(response->usage.prompt_tokens, 11);
  EXPECT_EQ(response->usage.cached_prompt_tokens, 4);
  EXPECT_EQ(response->usage.completion_tokens, 7);
  EXPECT_EQ(response->usage.calls, 1);
  ASSERT_EQ(server.attempts(), 1);
  EXPECT_EQ(server.requests()[0].path, "/v1/chat/completions");
  EXPECT_EQ(server.requests()[0].headers.at("authorization"), "Bearer "s + canary_key);
}

TEST(CurlLlmClientTest, KeepsThePortsContract) {
  FaultServer server(echo);
  const auto client = open_client(options_for(server.url()));
  EXPECT_THAT(testing::check_llm_client(*client), IsEmpty());
}

TEST(CurlLlmClientTest, AnswersInTheOrderOfTheRequestsOverFewConnections) {
  FaultServer server(echo);
  auto options = options_for(server.url());
  options.max_parallel = 4;
  std::vector<LlmRequest> requests;
  for (int i = 0; i < 40; ++i) requests.push_back(ask(std::to_string(i)));
  const auto results = open_client(options)->complete_all(requests, {});
  ASSERT_EQ(results.size(), 40U);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(text_of(results[static_cast<std::size_t>(i)]->message), std::to_string(i));
  EXPECT_LE(server.connections(), 4);
}

TEST(CurlLlmClientTest, ServicesGetTheirShapeOfMessages) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"content":[],"choices":[{"message":{"content":"x"}}]})");
  });
  auto options = options_for(server.url());
  LlmRequest request;
  request.messages = {{Role::assistant, "Hello."}, {Role::user, "a"}, {Role::user, "b"}};
  const auto sent = [&] {
    EXPECT_TRUE(open_client(options)->complete(request, {}));
    return parse_json(server.requests().back().body).value()["messages"].size();
  };
  EXPECT_EQ(sent(), 3U) << "of this host nothing is known";
  options.message_shape = message_shape("llama_cpp");
  EXPECT_EQ(sent(), 3U) << "a word of the user, and two of his messages in one";
  options.message_shape.reset();
  options.wire_format = WireFormat::anthropic_messages;
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(parse_json(server.requests().back().body).value()["messages"][0]["role"], "user");
}

TEST(CurlLlmClientTest, SequentialCallsShareAConnection) {
  FaultServer server(echo);
  const auto client = open_client(options_for(server.url()));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(client->complete(ask("x"), {}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlLlmClientTest, StreamsTextWhileItIsWritten) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, chat_stream(), event_stream);
  });
  std::string text;
  const auto response =
      open_client(options_for(server.url()))->stream(ask("hi"), [&](std::string_view piece) { text += piece; }, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text, "Hello");
  EXPECT_EQ(text_of(response->message), "Hello");
  EXPECT_EQ(response->usage.prompt_tokens, 11);
}

class CurlLlmClientEnvironmentTest : public ::testing::Test {
 protected:
  CurlLlmClientEnvironmentTest() {
    for (const char* name : names) unsetenv(name);
  }
  ~CurlLlmClientEnvironmentTest() override {
    for (const char* name : names) unsetenv(name);
  }

  static constexpr const char* names[] = {"OPENAI_API_KEY",       "OPENAI_BASE_URL",       "OPENAI_ORG_ID",
                                          "OPENAI_PROJECT_ID",    "ANTHROPIC_API_KEY",     "ANTHROPIC_BASE_URL",
                                          "ANTHROPIC_AUTH_TOKEN", "OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"};
};

TEST_F(CurlLlmClientEnvironmentTest, NothingSetIsOpenaiWithoutAKey) {
  const auto options = CurlLlmClientOptions::from_environment();
  EXPECT_EQ(options.base_url, "https://api.openai.com/v1");
  EXPECT_EQ(make_curl_llm_client(options).error().code, ErrorCode::denied);
}

TEST_F(CurlLlmClientEnvironmentTest, OpenaiGoesFirst) {
  setenv("OPENAI_API_KEY", "key-1", 1);
  setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", 1);
  setenv("OPENAI_ORG_ID", "org-1", 1);
  setenv("ANTHROPIC_API_KEY", "key-2", 1);
  const auto options = CurlLlmClientOptions::from_environment();
  EXPECT_EQ(options.api_key, "key-1");
  EXPECT_EQ(options.base_url, "http://127.0.0.1:1/v1");
  EXPECT_EQ(options.headers.at("openai-organization"), "org-1");
  EXPECT_EQ(options.wire_format, WireFormat::openai_chat);
}

TEST_F(CurlLlmClientEnvironmentTest, AnthropicBringsItsFormat) {
  setenv("ANTHROPIC_API_KEY", "key-2", 1);
  const auto options = CurlLlmClientOptions::from_environment();
  EXPECT_EQ(options.api_key, "key-2");
  EXPECT_EQ(options.base_url, "https://api.anthropic.com");
  EXPECT_EQ(options.wire_format, WireFormat::anthropic_messages);
}

TEST_F(CurlLlmClientEnvironmentTest, HeadersOfAGatewayStandOnALineEach) {
  const std::map<std::string, std::string> expected = {{"x-team", "a: b"}, {"x-empty", ""}};
  for (const std::string service : {"OPENAI", "ANTHROPIC"}) {
    setenv((service + "_API_KEY").c_str(), "key-1", 1);
    setenv((service + "_CUSTOM_HEADERS").c_str(), "X-Team:  a: b \r\nno header\n\nx-empty:", 1);
    EXPECT_EQ(CurlLlmClientOptions::from_environment().headers, expected) << service;
    unsetenv((service + "_API_KEY").c_str());
  }
}

TEST_F(CurlLlmClientEnvironmentTest, AGatewayInFrontOfAnthropicTakesABearerToken) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"})");
  });
  setenv("ANTHROPIC_AUTH_TOKEN", "token-3", 1);
  setenv("ANTHROPIC_BASE_URL", server.url().c_str(), 1);
  EXPECT_EQ(text_of(open_client(CurlLlmClientOptions::from_environment())->complete(ask("x"), {})->message), "hi");
  EXPECT_EQ(server.requests()[0].headers.at("authorization"), "Bearer token-3");
  EXPECT_EQ(server.requests()[0].headers.count("x-api-key"), 0U);
}

}  // namespace
}  // namespace ctxmgr::test
