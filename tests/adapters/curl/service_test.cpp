#include "adapters/curl/service.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/curl/client_fixture.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "support/heap_canary.hpp"
#include "support/sanitizers.hpp"

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
  options.allow_plain_http = true;
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

TEST(ServiceTest, TimeLimitsAreLongerThanNothing) {
  using Limit = std::chrono::milliseconds CurlLlmClientOptions::*;
  for (const Limit limit : {&CurlLlmClientOptions::connect_timeout, &CurlLlmClientOptions::first_byte_timeout,
                            &CurlLlmClientOptions::idle_timeout, &CurlLlmClientOptions::total_timeout}) {
    auto options = options_for("https://api.example.com");
    options.*limit = std::chrono::milliseconds(0);
    EXPECT_EQ(refused(options), ErrorCode::invalid_argument);
  }
}

TEST(ServiceTest, AProxyWouldLookNamesUpPastTheAddressPolicy) {
  auto options = options_for("https://api.example.com");
  options.proxy = "http://127.0.0.1:3128";
  EXPECT_TRUE(make_curl_llm_client(options));
  options.public_addresses_only = true;
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

TEST(ServiceTest, KeysAreWipedFromTheHeapWithTheClient) {
  if (CTXMGR_INSTRUMENTED != 0) GTEST_SKIP() << "sanitizers keep memory of their own";
  const testing::HeapCanary canary;
  auto options = options_for("http://127.0.0.1:1");
  options.api_key.clear();
  options.api_key.reserve(256);
  canary.append_to(options.api_key);
  options.headers["x-gateway-key"] = options.api_key;
  auto client = make_curl_llm_client(options);
  ASSERT_TRUE(client);
  http::wipe(options.api_key);
  http::wipe(options.headers["x-gateway-key"]);
  if (canary.occurrences_on_heap() == 0) GTEST_SKIP() << "this allocator keeps its memory elsewhere";
  client->reset();
  EXPECT_EQ(canary.occurrences_on_heap(), 0U);
}

TEST(ServiceTest, SecretsAppearInNoRecord) {
  const auto path = std::filesystem::temp_directory_path() / ("ctxmgr-canary-" + std::to_string(getpid()));
  FaultServer server([](ServerConnection& connection, const ReceivedRequest& request, int number) {
    const auto body = R"({"error":{"type":")" + request.headers.at("authorization").substr(7) + R"("}})";
    connection.reply(number == 1 ? 401 : 200, number == 1 ? body : chat_reply("fine"));
  });
  {
    const auto client = *make_recording_llm_client(open_client(options_for(server.url())), path);
    EXPECT_FALSE(client->complete(ask("x"), {}));
    EXPECT_TRUE(client->complete(ask("x"), {}));
  }
  std::ostringstream recorded;
  recorded << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_NE(recorded.str().find("fine"), std::string::npos);
  EXPECT_NE(recorded.str().find("***"), std::string::npos);
  EXPECT_EQ(recorded.str().find("canary"), std::string::npos);
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
    const auto expect_nothing_secret = [](const auto& result) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().message.find("canary"), std::string::npos) << result.error().message;
    };
    expect_nothing_secret(client->complete(ask("x"), {}));
    expect_nothing_secret(client->stream(ask("x"), {}, {}));
    expect_nothing_secret((*make_curl_embedder(options))->embed({"x"}, EmbeddingInput::query, {}));
    options.wire_format = WireFormat::anthropic_messages;
    expect_nothing_secret(open_client(options)->count_input_tokens(ask("x"), {}));
  }
}

}  // namespace
}  // namespace ctxmgr::test
