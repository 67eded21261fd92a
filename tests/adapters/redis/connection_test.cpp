#include "adapters/redis/connection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>
#include <utility>

#include "adapters/quiet_errors.hpp"
#include "adapters/redis/stub_server.hpp"

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;
using testing::StubServer;

/// What a server sends that holds `value` under `key` of namespace "n".
std::string holding(const std::string& key, const std::string& value) {
  const auto content = "00000000000000000007 1:" + std::to_string(key.size()) + ":n" + key + value;
  return "*1\r\n$" + std::to_string(content.size()) + "\r\n" + content + "\r\n";
}

std::unique_ptr<KeyValueStore> store_at(const std::string& url) {
  RedisOptions options;
  options.url = url;
  options.socket_timeout = 60ms;
  options.connect_timeout = 500ms;
  return make_redis_key_value_store(options).value();
}

Result<std::string> get(KeyValueStore& store, const std::string& key, const CallOptions& call = {}) {
  auto values = store.read("n", {key}, call);
  if (!values) return tl::unexpected(values.error());
  return (*values)[0] ? (*values)[0]->value : "(absent)";
}

ErrorCode code_for_reply(const std::string& reply) {
  const StubServer server([&](int, const std::string&) { return reply; });
  const auto got = get(*store_at(server.url()), "k");
  return got ? ErrorCode::internal : got.error().code;
}

TEST(RedisConnectionTest, ReadsWhatItAskedFor) {
  const StubServer server([](int, const std::string&) { return holding("k", "v"); });
  EXPECT_EQ(get(*store_at(server.url()), "k").value(), "v");
}

TEST(RedisConnectionTest, AnswersOutOfProtocolAreBadData) {
  EXPECT_EQ(code_for_reply("HTTP/1.1 400 Bad Request\r\n\r\n"), ErrorCode::bad_data);
  EXPECT_EQ(code_for_reply("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"), ErrorCode::bad_data);
  EXPECT_EQ(code_for_reply("+OK\r\n"), ErrorCode::bad_data);
  EXPECT_EQ(code_for_reply(":1\r\n"), ErrorCode::bad_data);
  EXPECT_EQ(code_for_reply("*2\r\n$1\r\na\r\n$1\r\nb\r\n"), ErrorCode::bad_data);
  EXPECT_EQ(code_for_reply("*1\r\n$3\r\nabc\r\n"), ErrorCode::bad_data);
}

TEST(RedisConnectionTest, DoesNotBelieveInRepliesOfAbsurdSize) {
  EXPECT_EQ(code_for_reply("*2147483647\r\n"), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_for_reply("$2147483647\r\nabc"), ErrorCode::unavailable);
}

TEST(RedisConnectionTest, ErrorRepliesAreTyped) {
  EXPECT_EQ(code_for_reply("-LOADING Redis is loading\r\n"), ErrorCode::unavailable);
  EXPECT_EQ(code_for_reply("-READONLY You can't write\r\n"), ErrorCode::unavailable);
  EXPECT_EQ(code_for_reply("-NOAUTH Authentication required.\r\n"), ErrorCode::denied);
  EXPECT_EQ(code_for_reply("-ASK 1 127.0.0.1:1\r\n"), ErrorCode::unavailable);
  EXPECT_EQ(code_for_reply("-OOM command not allowed\r\n"), ErrorCode::limit_exceeded);
}

TEST(RedisConnectionTest, AReplyForAnotherKeyIsNeverReturned) {
  const StubServer server([](int connection, const std::string&) {
    return connection == 0 ? holding("other", "secret") : holding("k", "v");
  });
  const auto store = store_at(server.url());
  EXPECT_EQ(get(*store, "k").error().code, ErrorCode::bad_data);
  EXPECT_EQ(get(*store, "k").value(), "v") << "who answers another question once is not asked again";
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisConnectionTest, ASilentServerIsUnavailable) { EXPECT_EQ(code_for_reply(""), ErrorCode::unavailable); }

TEST(RedisConnectionTest, AServerThatHangsUpIsUnavailable) {
  EXPECT_EQ(code_for_reply(StubServer::hang_up), ErrorCode::unavailable);
}

TEST(RedisConnectionTest, AClosedPortIsUnavailable) {
  std::string url;
  {
    const StubServer server([](int, const std::string&) { return ""; });
    url = server.url();
  }
  EXPECT_EQ(get(*store_at(url), "k").error().code, ErrorCode::unavailable);
  auto secret = url + "/3";
  secret.insert(8, "canary:hunter2@");
  EXPECT_EQ(get(*store_at(secret), "k").error().message, "redis: cannot connect (" + url.substr(8) + ", database 3)");
}

TEST(RedisConnectionTest, AfterACancelledCallItsLateReplyIsSeenByNobody) {
  // The first question is never answered in time; its answer comes with the second question on the same connection.
  const StubServer server(
      [](int connection, const std::string&) { return connection == 0 ? std::string() : holding("k", "v"); });
  const auto store = store_at(server.url());
  int asked = 0;
  const CallOptions cancelled{CancellationToken([&] { return ++asked > 4; }), {}};
  EXPECT_EQ(get(*store, "secret", cancelled).error().code, ErrorCode::cancelled);
  EXPECT_EQ(get(*store, "k").value(), "v");
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisConnectionTest, WhatComesUnaskedClosesTheConnection) {
  const StubServer server([](int connection, const std::string&) {
    return connection == 0 ? holding("k", "v") + holding("k", "forged") : holding("k", "v2");
  });
  const auto store = store_at(server.url());
  EXPECT_EQ(get(*store, "k").value(), "v");
  EXPECT_EQ(get(*store, "k").value(), "v2");
}

TEST(RedisConnectionTest, KeepsItsDeadline) {
  const StubServer server([](int, const std::string&) { return ""; });
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + 10ms;
  EXPECT_EQ(get(*store_at(server.url()), "k", call).error().code, ErrorCode::deadline_exceeded);
}

TEST(RedisConnectionTest, ThePasswordIsInNoError) {
  const StubServer server([](int, const std::string&) { return "-ERR invalid password hunter2\r\n"; });
  auto url = server.url();
  url.insert(8, "user:hunter2@");
  const auto failed = get(*store_at(url), "k").error();
  EXPECT_EQ(failed.code, ErrorCode::denied);
  EXPECT_EQ(failed.message.find("hunter2"), std::string::npos);
}

TEST(RedisConnectionTest, ErrorsQuoteNothingOfWhatTheServerSays) {
  for (const auto* reply : {"-ERR unknown command 'canary-41c7'\r\n", "-canary\r\n", "-MOVED 1 canary:0\r\n",
                            "$6\r\ncanary\r\n", "*1\r\n$6\r\ncanary\r\n", "canary\r\n"}) {
    const StubServer server([&](int, const std::string&) { return reply; });
    EXPECT_EQ(testing::expect_errors_quote_nothing(*store_at(server.url())), 11) << reply;
  }
}

TEST(RedisConnectionTest, AnyReplyCutAnywhereIsAnErrorOrAbsent) {
  const auto whole = holding("k", "v");
  for (std::size_t cut = 0; cut < whole.size(); cut += 3) {
    const StubServer server([&](int connection, const std::string&) {
      return connection == 0 ? whole.substr(0, cut) : std::string(StubServer::hang_up);
    });
    EXPECT_FALSE(get(*store_at(server.url()), "k")) << cut;
  }
}

TEST(RedisConnectionTest, WhateverBytesAServerSendsNobodyBelievesThem) {
  std::string reply;
  std::atomic<int> answered{0};
  const StubServer server([&](int connection, const std::string&) {
    return connection == answered ? reply : std::string(StubServer::hang_up);
  });
  EXPECT_TRUE(rc::check([&] {
    // Out of what replies are made of, so that some go a long way.
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "*1\r\n", "*-1\r\n", "$3\r\n", "$-1\r\n", ":1\r\n", "+OK\r\n", "-ERR no\r\n", "abc\r\n", "\r\n", "*", "$", "9",
        "%1\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "~1\r\n", ">1\r\n", "(1\r\n", "!3\r\n", "\xff", std::string(1, '\0')));
    reply.clear();
    for (const auto& piece : pieces) reply += piece;
    reply += "?\r\n?\r\n?\r\n";  // at the latest here it is nonsense, so that nobody waits for more
    answered = server.connections();
    const auto got = get(*store_at(server.url()), "k");
    const bool is_believed = got && *got != "(absent)";
    RC_ASSERT(!is_believed);
  }));
}

/// In a process of its own, since SIGPIPE would end this one.
TEST(RedisConnectionTest, WritingToAClosedConnectionIsAnErrorAndNoSignal) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    const StubServer server([](int, const std::string&) { return StubServer::hang_up; });
    const auto connection = redis::Connection::open(redis::parse_url(server.url()).value(), {}, {}).value();
    (void)connection->run(redis::Request().command({"PING"}), {});
    while (connection->is_quiet()) std::this_thread::yield();
    const std::string large(8'000'000, 'x');
    bool failed = true;
    for (int i = 0; i < 3; ++i) failed = failed && !connection->run(redis::Request().command({large}), {});
    ::_exit(failed ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ctxmgr
