// Attempts, waits and limits, counted at the server.
#include "adapters/curl/exchange.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
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
  const auto [result, attempts] = outcome_of(failing(9, 429, "", {"retry-after: 30"}), within(milliseconds(10'000)));
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().retry_after, milliseconds(30'000));
  EXPECT_EQ(attempts, 1);
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

TEST(ExchangeTest, ConnectionsThatBreakAreTriedAgain) {
  // Each of these once, to three calls at the same time, which share one wait.
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int number) {
    if (number == 1) return connection.reset();
    if (number == 2) connection.send("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{");
    if (number == 3) connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n");
    if (number <= 3) return connection.close();
    connection.reply(200, chat_reply("there"));
  });
  const auto results = open_client(options_for(server.url()))->complete_all({ask("a"), ask("b"), ask("c")}, {});
  for (const auto& result : results) EXPECT_TRUE(result);
  EXPECT_EQ(server.attempts(), 6);
}

TEST(ExchangeTest, AModelMayThinkBetweenTheHeadersAndTheFirstWord) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    const auto body = chat_reply("at last");
    connection.send("HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n");
    std::this_thread::sleep_for(milliseconds(150));
    connection.send(body);
  });
  auto options = options_for(server.url());
  options.idle_timeout = milliseconds(20);
  options.max_attempts = 1;
  const auto result = open_client(options)->complete(ask("x"), {});
  EXPECT_TRUE(result) << result.error().message;
}

TEST(ExchangeTest, ASlowUploadIsNoSilence) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("there")); });
  server.read_slowly(4);  // 32 MB take two seconds at the least.
  auto options = options_for(server.url());
  options.first_byte_timeout = milliseconds(1'000);
  options.max_attempts = 1;
  auto request = ask(std::string(32'000'000, 'x'));
  request.max_output_tokens = 0;
  const auto start = steady_clock::now();
  const auto result = open_client(options)->complete(request, {});
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_GT(steady_clock::now() - start, options.first_byte_timeout) << "shows nothing";
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
  const auto result = open_client(options_for(server.url()))->complete(ask("x"), within(milliseconds(60)));
  EXPECT_EQ(result.error().code, ErrorCode::deadline_exceeded);
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

/// Cancels calls to this place after a moment, several times, and looks at what is left over.
void expect_clean_cancellation(const std::string& url, const LlmRequest& request = ask("x"), int times = 20) {
  const auto client = open_client(options_for(url));
  const auto requests_to_stop = std::make_shared<std::atomic<int>>();  // A token may outlive its call.
  const auto cancelled_call = [&](milliseconds after) {
    *requests_to_stop = 0;
    CallOptions call;
    call.cancellation = CancellationToken([requests_to_stop, at = steady_clock::now() + after] {
      return steady_clock::now() >= at && ++*requests_to_stop > 0;
    });
    return after.count() % 2 == 0 ? client->complete(request, call) : client->stream(request, {}, call);
  };
  (void)cancelled_call(milliseconds(20));
  const int before = open_descriptors();
  for (int i = 0; i < times; ++i) {
    const auto result = cancelled_call(milliseconds(i % 7));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::cancelled);
    EXPECT_LE(*requests_to_stop, 2) << "The call went on after it was cancelled.";
  }
  // Both sides close their ends a little later.
  for (int i = 0; i < 200 && open_descriptors() > before + 4; ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_LE(open_descriptors(), before + 4);
}

void expect_clean_cancellation(const FaultServer::Handler& handler) {
  FaultServer server(handler);
  expect_clean_cancellation(server.url());
}

/// Sends this and no more.
FaultServer::Handler stops_after(const std::string& bytes) {
  return [bytes](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send(bytes);
    connection.wait_for_end();
  };
}

TEST(ExchangeThreadsTest, CancellingWhileConnectingLeavesNothing) {
  const SilentPort server(SilentPort::Backlog::full);
  expect_clean_cancellation(server.url());
}

TEST(ExchangeThreadsTest, CancellingInTheTlsHandshakeLeavesNothing) {
  const SilentPort server(SilentPort::Backlog::open);
  expect_clean_cancellation("https" + server.url().substr(4));
}

TEST(ExchangeThreadsTest, CancellingWhileSendingLeavesNothing) {
  const SilentPort server(SilentPort::Backlog::open);
  expect_clean_cancellation(server.url(), ask(std::string(8 << 20, 'x')), 4);
}

TEST(ExchangeThreadsTest, CancellingWhileTheServerIsSilentLeavesNothing) { expect_clean_cancellation(stops_after("")); }

TEST(ExchangeThreadsTest, CancellingInTheHeadersLeavesNothing) {
  expect_clean_cancellation(stops_after("HTTP/1.1 200 OK\r\ncontent-len"));
}

TEST(ExchangeThreadsTest, CancellingInTheMiddleOfAReplyLeavesNothing) {
  expect_clean_cancellation(stops_after("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"));
}

TEST(ExchangeThreadsTest, CancellingInTheMiddleOfAStreamLeavesNothing) {
  expect_clean_cancellation(stops_after("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {"));
}

TEST(ExchangeThreadsTest, CancellingBetweenAttemptsEndsTheWait) {
  FaultServer server(failing(1 << 30, 503, "", {"retry-after: 60"}));
  for (int i = 0; i < 5; ++i) {
    const auto client = open_client(options_for(server.url()));
    int polls_after_reply = 0;
    CallOptions call;
    call.cancellation = CancellationToken([&] { return server.attempts() > i && ++polls_after_reply > 5; });
    EXPECT_EQ(client->complete(ask("x"), call).error().code, ErrorCode::cancelled);
    EXPECT_LE(polls_after_reply, 7);
  }
  EXPECT_EQ(server.attempts(), 5);
}

TEST(ExchangeThreadsTest, CancellingInTheQueueLeavesNothing) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
  auto options = options_for(server.url());
  options.max_parallel = 1;
  const auto client = open_client(options);
  CallOptions call;
  call.cancellation = CancellationToken([&server] { return server.attempts() > 0; });
  const auto results = client->complete_all(std::vector<LlmRequest>(10, ask("x")), call);
  for (const auto& result : results) EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_EQ(server.attempts(), 1) << "One that waited began when the first had ended.";
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
