#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "ctxmgr/adapters/sql_conversation_store.hpp"
#include "support/appending_processes.hpp"

namespace ctxmgr {
namespace {

/// A database server of the test's own, that waits for the disk before it acknowledges and can be killed.
class DurableServer {
 public:
  explicit DurableServer(std::string name, std::string data_below = std::filesystem::temp_directory_path())
      : name_(std::move(name)),
        data_below_(std::move(data_below)),
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
    const auto line = "TMPDIR='" + data_below_ + "' CTXMGR_TEST_DURABLE=1 CTXMGR_TEST_SERVERS=" + name_ +
                      " '" CTXMGR_TEST_SERVERS_SCRIPT "' " + command + " '" + state_.string() + "' >/dev/null 2>&1";
    return std::system(line.c_str()) == 0;  // NOLINT(cert-env33-c, concurrency-mt-unsafe): a script of the tests
  }

  std::string name_;
  std::string data_below_;
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

/// A disk in memory that a file takes up but for a little, until it is told to leave room.
class SmallDisk {
 public:
  SmallDisk() {
    auto pattern = (std::filesystem::temp_directory_path() / "ctxmgr-disk-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    is_mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=400m,mode=1777") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::umount2(path_.c_str(), MNT_DETACH);
    std::filesystem::remove(path_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_mounted() const { return is_mounted_; }

  void leave(std::uintmax_t bytes) const {
    const auto free = std::filesystem::space(path_).available;
    const int file = ::open(ballast().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    EXPECT_EQ(::posix_fallocate(file, 0, static_cast<off_t>(free - std::min(free, bytes))), 0);
    ::close(file);
  }
  void make_room() const { std::filesystem::remove(ballast()); }

 private:
  [[nodiscard]] std::string ballast() const { return path_ + "/ballast"; }
  std::string path_;
  bool is_mounted_ = false;
};

TEST_P(SqlServerCrashTest, AFullDiskIsAnErrorInTimeAndKeepsWhatIsThere) {
  if (!testing::environment(GetParam().variable)) GTEST_SKIP() << "skipped: " << GetParam().variable << " is not set";
  const SmallDisk disk;
  if (!disk.is_mounted()) GTEST_SKIP() << "skipped: cannot mount a tmpfs";
  const DurableServer server(GetParam().name, disk.path());
  const auto store = open(server);
  ASSERT_NE(store, nullptr);
  std::mt19937 random(7);
  const auto batch = [&](int number) {
    auto rows = testing::batch_of("a", number, 1);
    std::string text(500'000, ' ');  // that no server stores shorter
    for (char& c : text) c = static_cast<char>('!' + random() % 90);
    rows[0].content = text;
    return rows;
  };
  ASSERT_TRUE(store->append("w", batch(0), {}, {}));
  disk.leave(std::uintmax_t{20} << 20);
  std::int64_t last = 1;
  Result<SequenceRange> appended = SequenceRange{};
  for (int i = 1; i < 500; ++i) {
    CallOptions call;
    call.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    appended = store->append("w", batch(i), {}, call);
    EXPECT_LT(std::chrono::steady_clock::now(), *call.deadline + std::chrono::milliseconds(250));
    if (!appended) break;
    last = appended->last;
  }
  ASSERT_FALSE(appended);
  std::printf("%lld rows, then: %s\n", static_cast<long long>(last), appended.error().message.c_str());
  EXPECT_THAT(appended.error().code,
              ::testing::AnyOf(ErrorCode::limit_exceeded, ErrorCode::unavailable, ErrorCode::deadline_exceeded));
  disk.make_room();
  // A server that its full log ended starts again by itself, or its keeper starts it.
  if (appended.error().code != ErrorCode::limit_exceeded) {
    ASSERT_TRUE(server.crash());
  }
  const auto after = open(server);
  ASSERT_NE(after, nullptr);
  EXPECT_GE(after->info("w", {})->value().last_sequence, last);
  EXPECT_TRUE(after->load("w", {}, {}));
  EXPECT_TRUE(after->append("w", batch(1), {}, {}));
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlServerCrashTest,
                         ::testing::Values(ServerKind{"postgresql", "CTXMGR_TEST_POSTGRESQL_URL"},
                                           ServerKind{"mysql", "CTXMGR_TEST_MYSQL_URL"}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace ctxmgr
