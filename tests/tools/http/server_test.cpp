#include "http/server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tools/http/raw_client.hpp"

namespace ctxpack::http::test {
namespace {

/// Answers with the path, and for /wait only when it is let go.
class RunningServer {
 public:
  explicit RunningServer(Limits limits = {}, std::size_t workers = 2)
      : server_(with_workers(limits, workers), handler()) {
    port = server_.bind("127.0.0.1", 0);
    EXPECT_GT(port, 0);
    thread_ = std::thread([this] { server_.run(); });
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer() {
    may_go = true;
    server_.stop();
    thread_.join();
  }

  int port = 0;
  std::atomic<bool> may_go{false};
  std::atomic<int> answered{0};

  /// How many threads have answered.
  [[nodiscard]] std::size_t threads() const {
    const std::lock_guard lock(mutex_);
    return threads_.size();
  }

 private:
  static Limits with_workers(Limits limits, std::size_t workers) {
    limits.workers = workers;
    return limits;
  }
  Handler handler() {
    Handler handler;
    handler.refuse = [](const RequestHead&) { return std::optional<Reply>(); };
    handler.answer = [this](const Request& request) {
      while (request.head.path == "/wait" && !may_go) std::this_thread::yield();
      ++answered;
      {
        const std::lock_guard lock(mutex_);
        threads_.insert(std::this_thread::get_id());
      }
      Reply reply;
      reply.body = request.head.path + request.body;
      return reply;
    };
    handler.fail = [](const RequestHead&, int status, const std::string& why) {
      Reply reply;
      reply.status = status;
      reply.body = why;
      return reply;
    };
    return handler;
  }

  mutable std::mutex mutex_;
  std::set<std::thread::id> threads_;
  Server server_;
  std::thread thread_;
};

const std::string get = "GET /a HTTP/1.1\r\nHost: here\r\n\r\n";
const std::string last = "GET /last HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";

TEST(ServerThreadsTest, RequestsOfOneConnectionAreAnsweredInTheirOrder) {
  const RunningServer server;
  const RawClient client(server.port);
  ASSERT_TRUE(client.send(get + "POST /b HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\n\r\n!" + last));
  const auto all = client.read_all();
  EXPECT_EQ(answers_in(all), 3U);
  EXPECT_LT(all.find("/a"), all.find("/b!"));
  EXPECT_LT(all.find("/b!"), all.find("/last"));
}

TEST(ServerThreadsTest, RequestsThatComeOneByOneAreAnsweredByFewThreads) {
  constexpr std::size_t workers = 64;
  constexpr int requests = 64;
  const RunningServer server({}, workers);
  for (int i = 0; i < requests; ++i) {
    const RawClient client(server.port);
    ASSERT_TRUE(client.send(last));
    EXPECT_NE(client.read_all().find("/last"), std::string::npos);
  }
  EXPECT_EQ(server.answered, requests);
  EXPECT_LT(server.threads(), workers / 2);  // Whoever has just answered may still be on its way back.
}

TEST(ServerThreadsTest, ClientsThatAreSlowWithTheirHeadsHoldNobodyUp) {
  const RunningServer server;
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 40; ++i) {  // Twenty times as many as there are workers.
    slow.push_back(std::make_unique<RawClient>(server.port));
    ASSERT_TRUE(slow.back()->send("G"));
  }
  const RawClient client(server.port);
  ASSERT_TRUE(client.send(last));
  EXPECT_NE(client.read_all().find("/last"), std::string::npos);
}

TEST(ServerThreadsTest, AHeadHasToComeInTimeAltogether) {
  Limits limits;
  limits.head_time = std::chrono::milliseconds(50);
  const RunningServer server(limits);
  const RawClient client(server.port);
  // A byte now and then is not enough.
  for (int i = 0; i < 1'000 && client.send("G"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (i == 20) break;
  }
  EXPECT_NE(client.read_all().find("HTTP/1.1 408"), std::string::npos);
  EXPECT_EQ(server.answered, 0);
}

TEST(ServerThreadsTest, AHeadHasABound) {
  const RunningServer server;
  const RawClient client(server.port);
  const std::string line(std::size_t{1} << 20, 'a');
  static_cast<void>(client.send("GET /" + line));  // It may be cut off.
  EXPECT_NE(client.read_until("431").find("HTTP/1.1 431"), std::string::npos);
  const RawClient many(server.port);
  std::string lines;
  for (int i = 0; i < 9'000; ++i) lines += "a: b\r\n";
  static_cast<void>(many.send("GET / HTTP/1.1\r\nHost: here\r\n" + lines + lines + "\r\n"));
  EXPECT_NE(many.read_until("431").find("HTTP/1.1 431"), std::string::npos);
  EXPECT_EQ(server.answered, 0);
}

TEST(ServerThreadsTest, AnAddressHasSoManyConnectionsAndGetsThemBack) {
  Limits limits;
  limits.connections_per_address = 3;
  const RunningServer server(limits);
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::make_unique<RawClient>(server.port));
    ASSERT_TRUE(held.back()->send(get));
    ASSERT_NE(held.back()->read_until("/a").find("200"), std::string::npos);
  }
  EXPECT_NE(RawClient(server.port).read_all().find("HTTP/1.1 503"), std::string::npos);
  held.clear();
  std::string answer;
  for (int i = 0; i < 1'000 && answer.find("/last") == std::string::npos; ++i) {
    const RawClient again(server.port);
    if (again.send(last)) answer = again.read_all();
  }
  EXPECT_NE(answer.find("/last"), std::string::npos);
}

TEST(ServerThreadsTest, AConnectionThatSaysNothingIsClosed) {
  Limits limits;
  limits.keep_alive = limits.head_time = std::chrono::milliseconds(20);
  const RunningServer server(limits);
  const RawClient silent(server.port);
  EXPECT_EQ(silent.read_all(), "");
  const RawClient client(server.port);
  ASSERT_TRUE(client.send(get));
  EXPECT_EQ(answers_in(client.read_all()), 1U);
}

TEST(ServerThreadsTest, WhatComesBehindARequestThatCannotBeReadIsNotARequest) {
  const RunningServer server;
  const RawClient client(server.port);
  ASSERT_TRUE(client.send("GET /x HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n" + get));
  const auto all = client.read_all();
  EXPECT_EQ(answers_in(all), 1U);
  EXPECT_NE(all.find("HTTP/1.1 400"), std::string::npos);
  EXPECT_EQ(server.answered, 0);
}

TEST(ServerThreadsTest, StoppingWaitsForWhatIsBeingAnswered) {
  std::unique_ptr<RawClient> client;
  {
    RunningServer server;
    client = std::make_unique<RawClient>(server.port);
    ASSERT_TRUE(client->send("GET /wait HTTP/1.1\r\nHost: here\r\n\r\n"));
    // As soon as it is being answered; a request that has not come yet gets no answer.
    const RawClient other(server.port);
    ASSERT_TRUE(other.send(last));
    ASSERT_NE(other.read_all().find("/last"), std::string::npos);
  }
  EXPECT_NE(client->read_all().find("/wait"), std::string::npos);
}

}  // namespace
}  // namespace ctxpack::http::test
