#include "adapters/redis/pool.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "adapters/redis/stub_server.hpp"

namespace ctxmgr::redis {
namespace {

using namespace std::chrono_literals;
using ctxmgr::testing::StubServer;

Pool pool_of(const StubServer& server, std::size_t max_connections = 16, std::chrono::milliseconds timeout = 10s) {
  RedisOptions options;
  options.socket_timeout = timeout;
  options.max_connections = max_connections;
  return {parse_url(server.url()).value(), options};
}

Result<std::vector<Reply>> ask(Pool& pool, std::string_view question, const CallOptions& call = {},
                               std::string_view key = "k") {
  auto request = pool.request();
  request.command({question});
  return pool.run(std::move(request), key, call);
}

bool asks(const std::string& request, const std::string& question) { return request.find(question) != request.npos; }

TEST(RedisPoolTest, OneConnectionServesOneCallAfterAnother) {
  const StubServer server([](int, const std::string&) { return "+OK\r\n"; });
  auto pool = pool_of(server);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(text_of(*ask(pool, "PING").value().front()), "OK");
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisPoolTest, WhateverFailsClosesItsConnection) {
  const StubServer server([](int, const std::string& request) -> std::string {
    if (asks(request, "SILENT")) return "";
    if (asks(request, "REFUSED")) return "-OOM no\r\n";
    if (asks(request, "HANGUP")) return StubServer::hang_up;
    return "+OK\r\n";
  });
  auto pool = pool_of(server, 16, 200ms);
  EXPECT_EQ(ask(pool, "SILENT").error().code, ErrorCode::unavailable);
  EXPECT_EQ(ask(pool, "REFUSED").error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(ask(pool, "HANGUP").error().code, ErrorCode::unavailable);
  int asked = 0;
  const CallOptions cancelled{CancellationToken([&] { return ++asked > 4; }), {}};
  EXPECT_EQ(ask(pool, "SILENT", cancelled).error().code, ErrorCode::cancelled);
  EXPECT_TRUE(ask(pool, "PING"));
  EXPECT_EQ(server.connections(), 5);
}

TEST(RedisPoolTest, AForgottenScriptIsAReplyAndNoFailure) {
  const StubServer server([](int, const std::string&) { return "-NOSCRIPT No matching script.\r\n"; });
  auto pool = pool_of(server);
  EXPECT_TRUE(is_error(*ask(pool, "EVALSHA").value().front()));
  EXPECT_TRUE(ask(pool, "EVALSHA"));
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisPoolTest, AConnectionThatWasClosedMeanwhileIsNotUsed) {
  const StubServer server([](int, const std::string&) { return "+OK\r\n"; });
  auto pool = pool_of(server);
  ASSERT_TRUE(ask(pool, "PING"));
  pool.close_idle();
  EXPECT_TRUE(ask(pool, "PING"));
  EXPECT_EQ(server.connections(), 2);
}

/// Says that the slot of "k" is at another server.
std::string moved_to(const StubServer& server, const std::string& host = "127.0.0.1") {
  return "-MOVED " + std::to_string(slot_of("k")) + " " + host + server.url().substr(17) + "\r\n";
}

TEST(RedisPoolTest, ARedirectionIsFollowedAndRememberedForItsSlot) {
  const StubServer other([](int, const std::string&) { return "+other\r\n"; });
  std::atomic<int> questions{0};
  const StubServer first([&](int, const std::string&) {
    return ++questions, questions == 1 ? moved_to(other) : std::string("+first\r\n");
  });
  auto pool = pool_of(first);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(text_of(*ask(pool, "GET").value().front()), "other");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(text_of(*ask(pool, "GET", {}, "another key").value().front()), "first");
}

TEST(RedisPoolTest, ARedirectionWithoutAHostIsToAnotherPortOfTheSame) {
  const StubServer other([](int, const std::string&) { return "+other\r\n"; });
  const StubServer first([&](int, const std::string&) { return moved_to(other, ""); });
  auto pool = pool_of(first);
  EXPECT_EQ(text_of(*ask(pool, "GET").value().front()), "other");
}

TEST(RedisPoolTest, RedirectionsInACircleEnd) {
  const StubServer* self = nullptr;
  const StubServer server([&](int, const std::string&) { return moved_to(*self); });
  self = &server;
  auto pool = pool_of(server);
  EXPECT_EQ(ask(pool, "GET").error().code, ErrorCode::unavailable);
  EXPECT_EQ(server.connections(), 4);
}

TEST(RedisPoolTest, WhenARememberedNodeIsGoneTheFirstServerIsAskedAgain) {
  auto other = std::make_unique<StubServer>([](int, const std::string&) { return "+other\r\n"; });
  const auto redirection = moved_to(*other);
  std::atomic<bool> serves{false};
  const StubServer first([&](int, const std::string&) { return serves ? std::string("+first\r\n") : redirection; });
  auto pool = pool_of(first);
  ASSERT_TRUE(ask(pool, "GET"));
  other.reset();
  serves = true;
  EXPECT_EQ(ask(pool, "GET").error().code, ErrorCode::unavailable);
  EXPECT_EQ(text_of(*ask(pool, "GET").value().front()), "first");
}

TEST(RedisPoolTest, ConnectionsToSeveralNodesAreNoMoreThanAllowed) {
  const StubServer other([](int, const std::string&) { return "+other\r\n"; });
  const StubServer first([&](int, const std::string& request) {
    return asks(request, "GET") ? moved_to(other) : std::string("+first\r\n");
  });
  auto pool = pool_of(first, 1);
  ASSERT_TRUE(ask(pool, "GET"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(text_of(*ask(pool, "PING", {}, "another key").value().front()), "first");
    ASSERT_EQ(text_of(*ask(pool, "PING").value().front()), "other");
  }
  EXPECT_EQ(other.connections(), 4) << "each made room for the next";
}

/// The warnings of a store whose server answers INFO so.
std::vector<std::string> warnings_for(const std::string& info, bool go_on_when_lost = false) {
  std::vector<std::string> warnings;
  const StubServer server(
      [&](int, const std::string& request) { return asks(request, "INFO") ? info : std::string("+OK\r\n"); });
  RedisOptions options;
  options.max_connections = 1;
  options.go_on_when_lost = go_on_when_lost;
  options.observer = make_observer([&](const Event& event) {
    EXPECT_EQ(event.kind, EventKind::warning);
    warnings.emplace_back(std::get<std::string_view>(event.fields.at(0).value));
  });
  Pool pool(parse_url(server.url()).value(), options);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(ask(pool, "PING"));
    pool.close_idle();
  }
  return warnings;
}

std::string bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

TEST(RedisPoolTest, AServerThatMayEvictIsWarnedOfOnce) {
  const auto warnings = warnings_for(bulk("# Memory\r\nmaxmemory_policy:allkeys-lru\r\nmem_clients:0\r\n"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("127.0.0.1:"), std::string::npos);
  EXPECT_NE(warnings[0].find(" allkeys-lru:"), std::string::npos);
}

TEST(RedisPoolTest, WithoutEvictionOrWithoutAnAnswerThereIsNoWarning) {
  EXPECT_TRUE(warnings_for(bulk("maxmemory_policy:noeviction\r\n")).empty());
  EXPECT_TRUE(warnings_for(bulk("redis_version:5.0.0\r\n")).empty());
  EXPECT_TRUE(warnings_for("-NOPERM this user has no permissions to run the 'info' command\r\n").empty());
  EXPECT_TRUE(warnings_for(":1\r\n").empty());
}

TEST(RedisPoolTest, OfACacheNothingIsSaid) {
  EXPECT_TRUE(warnings_for(bulk("maxmemory_policy:allkeys-lru\r\n"), true).empty());
}

TEST(RedisPoolTest, WhoIsNotHeardIsNotAsked) {
  std::atomic<int> questions{0};
  const StubServer server([&](int, const std::string&) { return ++questions, "+OK\r\n"; });
  auto pool = pool_of(server);
  EXPECT_TRUE(ask(pool, "PING"));
  EXPECT_EQ(questions, 1);
}

TEST(RedisPoolThreadsTest, NoMoreConnectionsThanAllowedAndTheOthersWaitTheirTurn) {
  const StubServer server([](int, const std::string&) { return "+OK\r\n"; });
  auto pool = pool_of(server, 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(ask(pool, "PING"));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(server.connections(), 2);
}

TEST(RedisPoolThreadsTest, NobodyWaitsForeverForAConnection) {
  std::atomic<bool> busy{false};
  const StubServer server([&](int, const std::string&) {
    busy = true;
    return "";
  });
  auto pool = pool_of(server, 1);
  std::atomic<bool> cancel{false};
  std::thread first([&] {
    EXPECT_EQ(ask(pool, "SILENT", {CancellationToken([&] { return cancel.load(); }), {}}).error().code,
              ErrorCode::cancelled);
  });
  while (!busy) std::this_thread::yield();
  CallOptions late;
  late.deadline = std::chrono::steady_clock::now() + 10ms;
  EXPECT_EQ(ask(pool, "PING", late).error().code, ErrorCode::deadline_exceeded);
  cancel = true;
  first.join();
}

}  // namespace
}  // namespace ctxmgr::redis
