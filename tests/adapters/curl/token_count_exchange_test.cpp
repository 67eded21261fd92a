#include "adapters/curl/token_count_exchange.hpp"

#include <gtest/gtest.h>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

TEST(TokenCountExchangeTest, AsksTheServiceToCount) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"input_tokens":42})");
  });
  auto options = options_for(server.url());
  options.wire_format = WireFormat::anthropic_messages;
  EXPECT_EQ(open_client(options)->count_input_tokens(ask("x"), {}), 42);
  EXPECT_EQ(server.requests()[0].path, "/v1/messages/count_tokens");
  EXPECT_EQ(server.requests()[0].headers.at("x-api-key"), canary_key);
  EXPECT_EQ(server.requests()[0].headers.at("anthropic-version"), "2023-06-01");
  options.wire_format = WireFormat::openai_responses;
  options.base_url = server.url() + "/v1";
  EXPECT_EQ(open_client(options)->count_input_tokens(ask("x"), {}), 42);
  EXPECT_EQ(server.requests()[1].path, "/v1/responses/input_tokens");
}

TEST(TokenCountExchangeTest, ChatCompletionsHaveNoSuchEndpoint) {
  EXPECT_EQ(open_client(options_for("http://127.0.0.1:1"))->count_input_tokens(ask("x"), {}).error().code,
            ErrorCode::not_found);
}

TEST(TokenCountExchangeTest, ARefusalOrNonsenseIsTyped) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int number) {
    if (number == 1) return connection.reply(401, "");
    connection.reply(200, R"({"input_tokens":-1})", retry_at_once);
  });
  auto options = options_for(server.url());
  options.wire_format = WireFormat::anthropic_messages;
  options.max_attempts = 1;
  const auto client = open_client(options);
  EXPECT_EQ(client->count_input_tokens(ask("x"), {}).error().code, ErrorCode::denied);
  EXPECT_EQ(client->count_input_tokens(ask("x"), {}).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::test
