#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "ctxmgr/adapters/sql_conversation_store.hpp"
#include "support/appending_processes.hpp"

namespace ctxmgr {
namespace {

/// A database server of the test's own, that waits for the disk before it acknowledges and can be killed.
class DurableServer {
 public:
  explicit DurableServer(std::string name)
      : name_(std::move(name)),
        state_(std::filesystem::temp_directory_path() / ("ctxmgr-crash-" + std::to_string(::getpid()))) {
    EXPECT_TRUE(run("start"));
  }
  DurableServer(const DurableServer&) = delete;
  DurableServer& operator=(const DurableServer&) = delete;
  ~DurableServer() {
    (void)run("stop");
    std::filesystem::remove_all(state_);
  }

  /// Kills it, however it is, and starts it again on its data.
  [[nodiscard]] bool crash() const { return run("crash"); }
  [[nodiscard]] std::string url() const {
    std::string line;
    std::getline(std::ifstream(state_ / "env"), line);
    return line.substr(line.find('=') + 1);
  }

 private:
  [[nodiscard]] bool run(const std::string& command) const {
    const auto line = "CTXMGR_TEST_DURABLE=1 CTXMGR_TEST_SERVERS=" + name_ + " '" CTXMGR_TEST_SERVERS_SCRIPT "' " +
                      command + " '" + state_.string() + "' >/dev/null 2>&1";
    return std::system(line.c_str()) == 0;  // NOLINT(cert-env33-c, concurrency-mt-unsafe): a script of the tests
  }

  std::string name_;
  std::filesystem::path state_;
};

std::unique_ptr<ConversationStore> open(const DurableServer& server) {
  SqlOptions options;
  options.url = server.url();
  auto store = make_sql_conversation_store(options);
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

/// Appends batches of three until one is not acknowledged; returns the last number that was.
std::int64_t append_until_it_fails(ConversationStore& store, const std::string& agent, std::atomic<int>& acknowledged) {
  std::int64_t last = 0;
  for (int i = 0;; ++i) {
    const auto range = store.append("w", testing::batch_of(agent, i, 3), {}, {});
    if (!range) return last;
    last = range->last;
    ++acknowledged;
  }
}

/// A kind of server, and the variable that holds the address of one where servers are wanted.
struct ServerKind {
  const char* name;
  const char* variable;
};

class SqlServerCrashTest : public ::testing::TestWithParam<ServerKind> {};

TEST_P(SqlServerCrashTest, AKilledServerLosesNothingThatItAcknowledged) {
  // Whoever wants no servers does not want this one either.
  if (!testing::environment(GetParam().variable)) GTEST_SKIP() << "skipped: " << GetParam().variable << " is not set";
  const auto wanted = testing::environment("CTXMGR_TEST_SERVER_KILLS");
  const int kills = wanted ? std::stoi(*wanted) : 2;
  const DurableServer server(GetParam().name);
  std::int64_t rows = 0;
  int batches = 0;
  for (int kill = 0; kill < kills; ++kill) {
    const auto store = open(server);
    ASSERT_NE(store, nullptr);
    std::int64_t last = 0;
    std::atomic<int> acknowledged = 0;
    std::thread writer([&] { last = append_until_it_fails(*store, std::to_string(kill), acknowledged); });
    while (acknowledged < 3 + kill % 5) std::this_thread::yield();
    const bool came_back = server.crash();
    writer.join();
    ASSERT_TRUE(came_back);
    batches += acknowledged;
    const auto after = open(server);
    ASSERT_NE(after, nullptr);
    const auto info = after->info("w", {});
    ASSERT_TRUE(info && *info);
    rows = (*info)->last_sequence;
    ASSERT_GE(rows, last);
    if (kill % 20 == 19 || kill + 1 == kills) testing::expect_whole_batches(*after, 3);
  }
  std::printf("%d kills, %d acknowledged batches, %lld rows, none lost\n", kills, batches,
              static_cast<long long>(rows));
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlServerCrashTest,
                         ::testing::Values(ServerKind{"postgresql", "CTXMGR_TEST_POSTGRESQL_URL"},
                                           ServerKind{"mysql", "CTXMGR_TEST_MYSQL_URL"}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace ctxmgr
