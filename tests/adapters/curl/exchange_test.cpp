// Attempts, waits and limits, counted at the server.
#include "adapters/curl/exchange.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Fails `failures` times with this status, then answers.
FaultServer::Handler failing(int failures, int status, std::string body = "",
                             std::vector<std::string> headers = retry_at_once) {
  return [=](ServerConnection& connection, const ReceivedRequest&, int number) {
    if (number <= failures) return connection.reply(status, body, headers);
    connection.reply(200, chat_reply("there"));
  };
}

struct Outcome {
  Result<LlmResponse> result;
  int attempts;
};

Outcome outcome_of(const FaultServer::Handler& handler, const CallOptions& call = {}) {
  FaultServer server(handler);
  auto result = open_client(options_for(server.url()))->complete(ask("x"), call);
  return {std::move(result), server.attempts()};
}

TEST(ExchangeTest, PassingFailuresAreRetried) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) {
    const auto [result, attempts] = outcome_of(failing(2, status));
    EXPECT_TRUE(result) << status;
    EXPECT_EQ(attempts, 3) << status;
  }
}

TEST(ExchangeTest, LastingFailuresAreNot) {
  for (const int status : {302, 400, 401, 403, 404, 413, 422}) {
    const auto [result, attempts] = outcome_of(failing(9, status));
    EXPECT_FALSE(result) << status;
    EXPECT_EQ(attempts, 1) << status;
  }
}

TEST(ExchangeTest, ThereAreThreeAttemptsAndNoMore) {
  const auto [result, attempts] = outcome_of(failing(9, 503));
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(attempts, 3);
}

TEST(ExchangeTest, TheServiceMayForbidRetries) {
  EXPECT_EQ(outcome_of(failing(9, 500, "", {"x-should-retry: false"})).attempts, 1);
  EXPECT_EQ(outcome_of(failing(1, 400, "", {"x-should-retry: true", "retry-after-ms: 1"})).attempts, 2);
}

TEST(ExchangeTest, AnExhaustedQuotaIsNotRetried) {
  const auto [result, attempts] = outcome_of(failing(9, 429, R"({"error":{"code":"insufficient_quota"}})"));
  EXPECT_EQ(result.error().code, ErrorCode::denied);
  EXPECT_EQ(attempts, 1);
}

TEST(ExchangeTest, WhatTheServiceAsksForIsWaited) {
  const auto start = steady_clock::now();
  const auto [result, attempts] = outcome_of(failing(1, 429, "", {"retry-after-ms: 120"}));
  EXPECT_TRUE(result);
  EXPECT_GE(steady_clock::now() - start, milliseconds(120));
}

TEST(ExchangeTest, AServiceThatWantsTooMuchIsNotWaitedFor) {
  for (const char* wait : {"retry-after: 3600", "retry-after: 1e309"}) {
    const auto [result, attempts] = outcome_of(failing(9, 429, "", {wait}));
    EXPECT_EQ(result.error().code, ErrorCode::unavailable);
    EXPECT_GE(result.error().retry_after, milliseconds(3'600'000));
    EXPECT_EQ(attempts, 1);
  }
}

TEST(ExchangeTest, NoWaitGoesPastTheDeadline) {
  const auto start = steady_clock::now();
  const auto [result, attempts] = outcome_of(failing(9, 429, "", {"retry-after: 30"}), within(milliseconds(10'000)));
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().retry_after, milliseconds(30'000));
  EXPECT_EQ(attempts, 1);
  EXPECT_LT(steady_clock::now() - start, milliseconds(5'000));
}

TEST(ExchangeTest, AReplyCutShortIsAskedForOnceMore) {
  const auto cut = [](int times) {
    return [times](ServerConnection& connection, const ReceivedRequest&, int number) {
      connection.reply(200, number <= times ? "{\"choices\":" : chat_reply("there"), retry_at_once);
    };
  };
  EXPECT_TRUE(outcome_of(cut(1)).result);
  const auto [result, attempts] = outcome_of(cut(9));
  EXPECT_EQ(result.error().code, ErrorCode::bad_data);
  EXPECT_EQ(attempts, 2);
}

TEST(ExchangeTest, AConnectionThatClosedWhileIdleCostsNoAttempt) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, chat_reply("x"));  // Keep-alive is promised, and broken.
    connection.close();
  });
  auto options = options_for(server.url());
  options.max_attempts = 1;
  const auto client = open_client(options);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client->complete(ask("x"), {}));
}

TEST(ExchangeTest, ADeadlineInThePastOpensNoSocket) {
  FaultServer server(failing(0, 0));
  const auto client = open_client(options_for(server.url()));
  EXPECT_EQ(client->complete(ask("x"), within(milliseconds(-1))).error().code, ErrorCode::deadline_exceeded);
  EXPECT_EQ(server.connections(), 0);
}

TEST(ExchangeTest, ATokenThatThrowsIsContained) {
  FaultServer server(failing(0, 0));
  CallOptions call;
  call.cancellation = CancellationToken([]() -> bool { throw std::runtime_error("secret"); });
  EXPECT_EQ(open_client(options_for(server.url()))->complete(ask("x"), call).error().code, ErrorCode::internal);
}

TEST(ExchangeTest, TheDeadlineEndsASilentCall) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
  const auto start = steady_clock::now();
  const auto result = open_client(options_for(server.url()))->complete(ask("x"), within(milliseconds(60)));
  EXPECT_EQ(result.error().code, ErrorCode::deadline_exceeded);
  EXPECT_LT(steady_clock::now() - start, milliseconds(2'000));
}

TEST(ExchangeThreadsTest, AStormOfRefusalsIsNotMultiplied) {
  FaultServer server(failing(1 << 30, 429, "", retry_at_once));
  server.keep_requests(false);
  auto options = options_for(server.url());
  options.max_parallel = 16;
  const auto results = open_client(options)->complete_all(std::vector<LlmRequest>(200, ask("x")), {});
  for (const auto& result : results) EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_LE(server.attempts(), 220);
}

/// Cancels a call to this server after a moment, 20 times, and looks at what is left over.
void expect_clean_cancellation(const FaultServer::Handler& handler,
                               const std::function<void(CurlLlmClientOptions&)>& set = {}) {
  FaultServer server(handler);
  auto options = options_for(server.url());
  if (set) set(options);
  const auto client = open_client(options);
  (void)client->complete(ask("x"), cancelled_after(milliseconds(20)));
  const int before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    const auto start = steady_clock::now();
    const auto result = client->complete(ask("x"), cancelled_after(milliseconds(i % 7)));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::cancelled);
    EXPECT_LT(steady_clock::now() - start, milliseconds(2'000));
  }
  // The server closes its ends a little later than the client.
  for (int i = 0; i < 200 && open_descriptors() > before + 4; ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_LE(open_descriptors(), before + 4);
}

TEST(ExchangeThreadsTest, CancellingWhileTheServerIsSilentLeavesNothing) {
  expect_clean_cancellation(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
}

TEST(ExchangeThreadsTest, CancellingInTheMiddleOfAReplyLeavesNothing) {
  expect_clean_cancellation([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{");
    connection.wait_for_end();
  });
}

TEST(ExchangeThreadsTest, CancellingBetweenAttemptsEndsTheWait) {
  FaultServer server(failing(1 << 30, 503, "", {"retry-after: 60"}));
  for (int i = 0; i < 5; ++i) {
    const auto client = open_client(options_for(server.url()));
    int polls_after_reply = 0;
    CallOptions call;
    call.cancellation = CancellationToken([&] { return server.attempts() > i && ++polls_after_reply > 5; });
    const auto start = steady_clock::now();
    EXPECT_EQ(client->complete(ask("x"), call).error().code, ErrorCode::cancelled);
    EXPECT_LT(steady_clock::now() - start, milliseconds(10'000));
  }
  EXPECT_EQ(server.attempts(), 5);
}

TEST(ExchangeThreadsTest, CancellingInTheQueueLeavesNothing) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
  auto options = options_for(server.url());
  options.max_parallel = 1;
  const auto client = open_client(options);
  const auto results = client->complete_all(std::vector<LlmRequest>(10, ask("x")), cancelled_after(milliseconds(30)));
  for (const auto& result : results) EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_LE(server.attempts(), 1);
}

TEST(ExchangeThreadsTest, ACancelledCallDoesNotSpoilTheNext) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int number) {
    if (number % 2 == 0) return connection.reply(200, chat_reply("mine"));
    connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + chat_reply("of another"));
    connection.wait_for_end();
  });
  const auto client = open_client(options_for(server.url()));
  for (int i = 0; i < 10; ++i) {
    while (server.attempts() % 2 == 0) {
      EXPECT_EQ(client->complete(ask("x"), cancelled_after(milliseconds(30))).error().code, ErrorCode::cancelled);
    }
    EXPECT_EQ(text_of(client->complete(ask("x"), {})->message), "mine");
  }
}

}  // namespace
}  // namespace ctxmgr::test
