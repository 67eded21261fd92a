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

Result<std::vector<Reply>> ask(Pool& pool, std::string_view question, const CallOptions& call = {}) {
  auto request = pool.request();
  request.command({question});
  return pool.run(std::move(request), call);
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
