#include "adapters/curl/http_engine.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

void reply_at_once(ServerConnection& connection, const ReceivedRequest&, int) {
  connection.reply(200, chat_reply("x"));
}

TEST(HttpEngineThreadsTest, AThousandCallsStayWithinTheBound) {
  FaultServer server(reply_at_once);
  server.keep_requests(false);
  auto options = options_for(server.url());
  options.max_parallel = 8;
  const int before = open_descriptors();
  {
    const auto client = open_client(options);
    const auto results = client->complete_all(std::vector<LlmRequest>(1000, ask("x")), {});
    int good = 0;
    for (const auto& result : results) good += result ? 1 : 0;
    EXPECT_EQ(good, 1000);
  }
  EXPECT_EQ(server.attempts(), 1000);
  EXPECT_LE(server.most_at_once(), 8);
  for (int i = 0; i < 200 && open_descriptors() > before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // The server closes its ends.
  }
  EXPECT_LE(open_descriptors(), before);
}

TEST(HttpEngineThreadsTest, CallsFromManyThreadsShareTheBound) {
  FaultServer server(reply_at_once);
  server.keep_requests(false);
  auto options = options_for(server.url());
  options.max_parallel = 4;
  const auto client = open_client(options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 10; ++j) EXPECT_TRUE(client->complete(ask("x"), {}));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(server.attempts(), 160);
  EXPECT_LE(server.connections(), 4);
}

TEST(HttpEngineTest, TheQueueIsServedInOrder) {
  FaultServer server(reply_at_once);
  auto options = options_for(server.url());
  options.max_parallel = 1;
  std::vector<LlmRequest> requests;
  for (int i = 100; i < 150; ++i) requests.push_back(ask(std::to_string(i)));
  (void)open_client(options)->complete_all(requests, {});
  std::string order;
  std::string expected;
  for (const auto& request : server.requests()) order += request.body.substr(request.body.rfind("\"1"), 5);
  for (const auto& request : requests) expected += '"' + text_of(request.messages[0]) + '"';
  EXPECT_EQ(order, expected);
}

TEST(HttpEngineTest, AChildProcessIsToldToMakeItsOwnClient) {
  FaultServer server(reply_at_once);
  const auto client = open_client(options_for(server.url()));
  EXPECT_TRUE(client->complete(ask("x"), {}));
  const pid_t child = fork();
  if (child == 0) {
    const auto result = client->complete(ask("x"), {});
    _exit(!result && result.error().code == ErrorCode::internal ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(client->complete(ask("x"), {}));
}

TEST(HttpEngineTest, AProcessMayEndWhileACallIsUnderWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static auto* const server = new FaultServer(  // never destroyed: it would wait for its silent connection
            [](ServerConnection&, const ReceivedRequest&, int) {
              std::this_thread::sleep_for(std::chrono::minutes(1));
            });
        static const std::shared_ptr<CurlLlmClient> client = open_client(options_for(server->url()));
        std::thread([own = client] { (void)own->complete(ask("x"), {}); }).detach();
        while (server->attempts() == 0) std::this_thread::yield();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(HttpEngineTest, ABrokenConnectionRaisesNoSignal) {
  std::signal(SIGPIPE, SIG_DFL);
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.reset(); });
  auto options = options_for(server.url());
  options.max_attempts = 1;
  const auto client = open_client(options);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(client->complete(ask(std::string(1 << 20, 'x')), {}));
}

TEST(HttpEngineTest, DestroyingAnUnusedClientIsFine) { EXPECT_TRUE(open_client(options_for("http://127.0.0.1:1"))); }

}  // namespace
}  // namespace ctxmgr::test
