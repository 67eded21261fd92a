#include "ctxmgr/adapters/http_relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

using ::testing::Contains;
using ::testing::Pair;

HttpRelay relay_to(const FaultServer& server, const std::function<void(CurlLlmClientOptions&)>& change = {}) {
  auto options = options_for(server.url());
  options.api_key.clear();
  if (change) change(options);
  auto relay = make_http_relay(options);
  EXPECT_TRUE(relay) << relay.error().message;
  return std::move(*relay);
}

std::string whole_body(HttpAnswer& answer) {
  std::string body;
  while (true) {
    const auto bytes = answer.next({});
    EXPECT_TRUE(bytes) << bytes.error().message;
    if (!bytes || !*bytes) return body;
    body += **bytes;
  }
}

TEST(HttpRelayTest, TheBytesOfAnAnswerAreUntouched) {
  const std::string odd("\0\r\n\xFF data: {\n\n", 13);
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(429, odd, {"content-encoding: gzip", "x-ratelimit: 7", "retry-after: 3"});
  });
  const auto answer =
      relay_to(server)("POST", "/v1/chat/completions", "{ \"a\" :1}", {{"Authorization", "Bearer k"}}, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)->status(), 429);
  EXPECT_THAT((*answer)->headers(), Contains(Pair("x-ratelimit", "7")));
  EXPECT_THAT((*answer)->headers(), Contains(Pair("content-encoding", "gzip")));
  EXPECT_EQ(whole_body(**answer), odd);
  ASSERT_EQ(server.attempts(), 1);  // Not retried, whatever the service says.
  EXPECT_EQ(server.requests()[0].body, "{ \"a\" :1}");
  EXPECT_EQ(server.requests()[0].headers.at("authorization"), "Bearer k");
  EXPECT_EQ(server.requests()[0].headers.count("accept-encoding"), 0U);
}

TEST(HttpRelayTest, AMethodIsSentAsItIsWithABodyOrWithout) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest& request, int) {
    connection.reply(200, request.method + " " + request.path + " " + request.body);
  });
  const auto relay = relay_to(server);
  const auto sent = [&](const char* method, const char* body) {
    const auto answer = relay(method, "/v1/responses/r", body, {}, {});
    return answer ? whole_body(**answer) : answer.error().message;
  };
  EXPECT_EQ(sent("GET", ""), "GET /v1/responses/r ");
  EXPECT_EQ(sent("DELETE", ""), "DELETE /v1/responses/r ");
  EXPECT_EQ(sent("POST", ""), "POST /v1/responses/r ");
  EXPECT_EQ(sent("PATCH", "{}"), "PATCH /v1/responses/r {}");
}

TEST(HttpRelayTest, APathThatLeavesTheBaseIsRefused) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, "in"); });
  for (const char* path : {"/v1/../admin", "/v1/%2e%2E/admin", "/..", "admin", "", "/v1/./x"}) {
    const auto answer = relay_to(server)("GET", path, "", {}, {});
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().code, ErrorCode::invalid_argument);
  }
  EXPECT_EQ(server.attempts(), 0);
  EXPECT_TRUE(relay_to(server)("GET", "/v1/..x/a..b?q=../..", "", {}, {}));
}

TEST(HttpRelayTest, AServiceWaitsForAReaderThatIsSlow) {
  const std::string whole(std::size_t{24} << 20, 'x');
  std::atomic<bool> was_sent{false};
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, whole);
    was_sent = true;
  });
  const auto relay =
      relay_to(server, [](CurlLlmClientOptions& options) { options.max_response_bytes = std::size_t{64} << 20; });
  const auto answer = relay("GET", "/v1/files/f/content", "", {}, {});
  ASSERT_TRUE(answer);
  // A service that need not wait is done long before that.
  for (int i = 0; i < 60 && !was_sent; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(was_sent);
  std::size_t bytes = 0;
  std::size_t largest = 0;
  while (true) {
    const auto piece = (*answer)->next({});
    ASSERT_TRUE(piece) << piece.error().message;
    if (!*piece) break;
    bytes += (*piece)->size();
    largest = std::max(largest, (*piece)->size());
  }
  EXPECT_EQ(bytes, whole.size());
  EXPECT_LE(largest, std::size_t{320} << 10);
}

TEST(HttpRelayTest, APieceIsThereBeforeTheNextIsSent) {
  std::atomic<bool> first_was_read{false};
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
    while (!first_was_read) std::this_thread::yield();
    connection.send("3\r\ntwo\r\n0\r\n\r\n");
  });
  const auto answer = relay_to(server)("POST", "/v1/chat/completions", "{}", {}, {});
  ASSERT_TRUE(answer);
  const auto one = (*answer)->next({});
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, "one");
  first_was_read = true;
  EXPECT_EQ(whole_body(**answer), "two");
}

TEST(HttpRelayTest, TheHeadComesBeforeTheBody) {
  std::atomic<bool> head_was_read{false};
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
    while (!head_was_read) std::this_thread::yield();
    connection.send("ok");
  });
  const auto answer = relay_to(server)("POST", "/v1/chat/completions", "{}", {}, {});
  ASSERT_TRUE(answer);
  head_was_read = true;
  EXPECT_EQ(whole_body(**answer), "ok");
}

TEST(HttpRelayTest, AnAnswerThatBreaksOffIsAnErrorAfterWhatCame) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
    connection.close();
  });
  const auto answer = relay_to(server)("POST", "/v1/chat/completions", "{}", {}, {});
  ASSERT_TRUE(answer);
  const auto half = (*answer)->next({});
  ASSERT_TRUE(half);
  EXPECT_EQ(*half, "half");
  const auto end = (*answer)->next({});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::unavailable);
}

TEST(HttpRelayTest, ADestroyedAnswerEndsTheTransfer) {
  std::atomic<bool> ended{false};
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
    connection.wait_for_end();
    ended = true;
  });
  const auto relay = relay_to(server);
  { ASSERT_TRUE(relay("POST", "/v1/chat/completions", "{}", {}, {})); }
  for (int i = 0; i < 1'000 && !ended; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(ended);
}

TEST(HttpRelayTest, WhoDoesNotWaitAnyLongerIsToldSo) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
  const auto relay = relay_to(server);
  const auto cancelled = relay("GET", "/v1/models", "", {}, {CancellationToken([] { return true; }), {}});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
  const auto late = relay("GET", "/v1/models", "", {}, {{}, std::chrono::steady_clock::now()});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  const auto impatient = relay_to(server, [](auto& options) {
    options.first_byte_timeout = std::chrono::milliseconds(1);
  })("GET", "/v1/models", "", {}, {});
  ASSERT_FALSE(impatient);
  EXPECT_EQ(impatient.error().code, ErrorCode::unavailable);
}

TEST(HttpRelayTest, NobodyThereIsUnavailable) {
  auto options = options_for("http://127.0.0.1:1");
  const auto relay = make_http_relay(options);
  ASSERT_TRUE(relay);
  const auto answer = (*relay)("GET", "/v1/models", "", {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
}

TEST(HttpRelayTest, NoKeyIsAskedForButPlainHttpStaysOnThisMachine) {
  CurlLlmClientOptions options;
  EXPECT_TRUE(make_http_relay(options));
  options.base_url = "http://example.com/v1";
  const auto plain = make_http_relay(options);
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().code, ErrorCode::invalid_argument);
}

TEST(HttpRelayTest, HeadersThatNoRequestMayHaveAreRefused) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, ""); });
  const auto relay = relay_to(server);
  const auto smuggled = relay("GET", "/v1/models", "", {{"x", "a\r\nhost: b"}}, {});
  ASSERT_FALSE(smuggled);
  EXPECT_EQ(smuggled.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(server.attempts(), 0);
}

TEST(HttpRelayTest, ARefusalForTheContextsLengthIsKnownByItsWords) {
  const std::string openai = R"({"error":{"message":"no","code":"context_length_exceeded"}})";
  const std::string anthropic = R"({"type":"error","error":{"message":"prompt is too long: 9 tokens > 8 maximum"}})";
  EXPECT_TRUE(is_context_length_refusal(400, openai));
  EXPECT_TRUE(is_context_length_refusal(400, anthropic));
  EXPECT_TRUE(is_context_length_refusal(413, ""));
  EXPECT_FALSE(is_context_length_refusal(200, openai));
  EXPECT_FALSE(is_context_length_refusal(500, openai));
  EXPECT_FALSE(is_context_length_refusal(400, R"({"error":{"message":"unknown parameter"}})"));
  EXPECT_FALSE(is_context_length_refusal(400, "<html>"));
}

TEST(HttpRelayThreadsTest, ParallelAnswersAreNotMixedUp) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest& request, int) {
    std::string body;
    for (int i = 0; i < 50; ++i) body += request.body + "\n";
    connection.reply(200, body);
  });
  server.keep_requests(false);
  const auto relay = relay_to(server, [](auto& options) { options.max_parallel = 40; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&relay, name = "stream-" + std::to_string(i)] {
      const auto answer = relay("POST", "/v1/chat/completions", name, {}, {});
      ASSERT_TRUE(answer);
      std::string expected;
      for (int j = 0; j < 50; ++j) expected += name + "\n";
      EXPECT_EQ(whole_body(**answer), expected);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace ctxmgr::test
