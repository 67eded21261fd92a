#include "adapters/curl/service.hpp"

#include <gtest/gtest.h>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

using namespace std::string_literals;

ErrorCode refused(const CurlLlmClientOptions& options) {
  const auto client = make_curl_llm_client(options);
  EXPECT_FALSE(client);
  return client ? ErrorCode::internal : client.error().code;
}

TEST(ServiceTest, PlainHttpIsForLoopbackUnlessAllowed) {
  EXPECT_EQ(refused(options_for("http://10.0.0.1/v1")), ErrorCode::invalid_argument);
  auto options = options_for("http://10.0.0.1/v1");
  options.plain_http = PlainHttp::allowed;
  EXPECT_TRUE(make_curl_llm_client(options));
}

TEST(ServiceTest, ARemoteServiceNeedsAKey) {
  auto options = options_for("https://api.example.com/v1");
  options.api_key.clear();
  EXPECT_EQ(refused(options), ErrorCode::denied);
  options.headers["Authorization"] = "Bearer of one's own";
  EXPECT_TRUE(make_curl_llm_client(options));
  options = options_for("http://127.0.0.1:8080");
  options.api_key.clear();
  EXPECT_TRUE(make_curl_llm_client(options));
}

TEST(ServiceTest, NothingMayEndALineEarly) {
  for (const std::string& bad : {"a\r\nb: c"s, "a\nb"s, "a\0b"s}) {
    auto options = options_for("https://api.example.com");
    options.api_key = bad;
    EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
    options = options_for("https://api.example.com");
    options.headers["x-a"] = bad;
    EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
    options.headers = {{bad, "x"}};
    EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
    EXPECT_EQ(refused(options_for("https://api.example.com/" + bad)), ErrorCode::invalid_argument);
    options = options_for("https://api.example.com");
    options.proxy = "http://proxy\r\n" + bad;
    EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
  }
}

TEST(ServiceTest, SenselessBoundsAndBrokenJsonAreRefused) {
  auto options = options_for("https://api.example.com");
  options.max_parallel = 0;
  EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
  options = options_for("https://api.example.com");
  options.max_attempts = 0;
  EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
  options = options_for("https://api.example.com");
  options.extra_body_json = "[]";
  EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
}

TEST(ServiceTest, HeadersOfTheHostReplaceItsOwn) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("x")); });
  auto options = options_for(server.url());
  options.headers = {{"Authorization", "Basic abc"}, {"X-Title", "test"}, {"x-empty", ""}};
  EXPECT_TRUE(open_client(options)->complete(ask("x"), {}));
  const auto headers = server.requests()[0].headers;
  EXPECT_EQ(headers.at("authorization"), "Basic abc");
  EXPECT_EQ(headers.at("x-title"), "test");
}

TEST(ServiceTest, VersionsInTheUrlAreNotDoubled) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"content":[],"stop_reason":"end_turn"})");
  });
  for (const char* suffix : {"", "/", "/v1", "/v1/"}) {
    auto options = options_for(server.url() + suffix);
    options.wire_format = WireFormat::anthropic_messages;
    EXPECT_TRUE(open_client(options)->complete(ask("x"), {}));
    EXPECT_EQ(server.requests().back().path, "/v1/messages");
  }
}

TEST(ServiceTest, SecretsAppearInNoError) {
  const std::string key = canary_key;
  const std::string header = "header-canary-987654";
  const auto identifier =
      R"({"error":{"type":")" + key + R"(","code":")" + header + R"(","message":")" + key + R"("}})";
  std::vector<FaultServer::Handler> faults;
  for (const int status : {301, 400, 401, 403, 404, 413, 422, 429, 500, 529}) {
    faults.push_back([=](ServerConnection& connection, const ReceivedRequest&, int) {
      connection.reply(status, identifier, {"content-type: " + key, "x-should-retry: false"});
    });
  }
  for (const std::string& body : {identifier, key, "data: "s + identifier + "\n\n"}) {
    faults.push_back([=](ServerConnection& connection, const ReceivedRequest&, int) {
      connection.reply(200, body, {"content-type: " + key, "x-should-retry: false"});
    });
    faults.push_back(
        [=](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, body, event_stream); });
  }
  faults.push_back([](ServerConnection& connection, const ReceivedRequest&, int) { connection.reset(); });
  for (const auto& fault : faults) {
    FaultServer server(fault);
    auto options = options_for(server.url());
    options.headers["x-secret"] = header;
    options.max_attempts = 1;
    const auto client = open_client(options);
    for (const auto& result : {client->complete(ask("x"), {}), client->stream(ask("x"), {}, {})}) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().message.find("canary"), std::string::npos) << result.error().message;
    }
  }
}

}  // namespace
}  // namespace ctxmgr::test
