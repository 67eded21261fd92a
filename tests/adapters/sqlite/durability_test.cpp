#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "adapters/sqlite/lossy_vfs.hpp"
#include "adapters/sqlite/temporary_file.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "support/environment.hpp"

namespace ctxmgr {
namespace {

using testing::LossyVfs;

SqliteOptions options(std::string path, bool exclusive = false) {
  SqliteOptions options;
  options.path = std::move(path);
  options.exclusive = exclusive;
  return options;
}

std::string value_of(int number) {
  return std::string(static_cast<std::size_t>(number % 7) * 900, 'v') + std::to_string(number);
}

/// A value and its twin, of which neither may be there without the other.
Result<std::uint64_t> put(KeyValueStore& store, int number) {
  const auto key = std::to_string(number);
  return store.write("n", {{key, value_of(number), {}, 0}, {"twin" + key, key, {}, {}}}, {});
}

std::string integrity_of(const std::string& path) {
  sqlite3* connection = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open(path.c_str(), &connection);
  sqlite3_prepare_v2(connection, "PRAGMA integrity_check", -1, &statement, nullptr);
  std::string answer = sqlite3_errmsg(connection);
  if (sqlite3_step(statement) == SQLITE_ROW) answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return answer;
}

/// How many of the numbers 0, 1, 2 … are there, without a gap and as they were written, each with its twin.
int intact_rows(const std::string& path) {
  const auto store = make_sqlite_key_value_store(options(path));
  if (!store) return -1;
  const auto keys = static_cast<int>((*store)->list("n", {}, {}, 100'000, {}).value().size());
  for (int i = 0; i < keys / 2; ++i) {
    const auto key = std::to_string(i);
    const auto read = (*store)->read("n", {key, "twin" + key}, {});
    if (!read || !(*read)[0] || !(*read)[1]) return -1;
    if ((*read)[0]->value != value_of(i) || (*read)[1]->value != key) return -1;
  }
  return keys % 2 == 0 ? keys / 2 : -1;
}

/// A process that writes 0, 1, 2 … from `first` on and tells each that is acknowledged.
pid_t write_and_tell(const SqliteOptions& file, int first, int tell) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const auto store = make_sqlite_key_value_store(file);
  for (int number = first; store; ++number) {
    const bool written = put(**store, number).has_value() || number == first;  // the first may be there already
    if (!written || ::write(tell, &number, sizeof number) != sizeof number) break;
  }
  ::_exit(1);
}

TEST(SqliteDurabilityTest, AKilledProcessLosesNothingThatWasAcknowledged) {
  std::mt19937 random(7);
  const auto wanted = testing::environment("CTXMGR_TEST_KILLS");
  const int kills = wanted ? std::stoi(*wanted) : 25;
  std::unique_ptr<testing::TemporaryDirectory> directory;
  std::string path;
  int expected = 0;
  int total = 0;
  for (int kill = 0; kill < kills; ++kill) {
    if (kill % 50 == 0) {  // a new file now and then: every row is read after every kill
      directory = std::make_unique<testing::TemporaryDirectory>();
      path = directory->file("a.db");
      expected = 0;
    }
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = write_and_tell(options(path, kill % 2 != 0), expected, pipe_ends[1]);
    ::close(pipe_ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + random() % 25));
    ::kill(child, SIGKILL);
    int acknowledged = expected - 1;
    for (int number = 0; ::read(pipe_ends[0], &number, sizeof number) == sizeof number;) acknowledged = number;
    ::close(pipe_ends[0]);
    ::waitpid(child, nullptr, 0);
    const int rows = intact_rows(path);
    ASSERT_GE(rows, acknowledged + 1);
    ASSERT_LE(rows, acknowledged + 2);
    ASSERT_EQ(integrity_of(path), "ok");
    total += rows - expected;
    expected = rows;
  }
  EXPECT_GT(total, 50);
  std::printf("%d kills, %d writes of two keys, none lost\n", kills, total);
}

struct PowerCut {
  bool exclusive;
  bool survives_power_loss;
  int allowed_loss;  // of acknowledged writes
};

void survive_power_cuts(const PowerCut& how) {
  int cuts = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const testing::TemporaryDirectory directory;
    auto vfs = std::make_unique<LossyVfs>(seed);
    {
      auto opening = options(directory.file("a.db"), how.exclusive);
      opening.survives_power_loss = how.survives_power_loss;
      const auto store = make_sqlite_key_value_store(opening).value();
      vfs->cut_power_after(static_cast<int>(seed * 5 % 131));
      for (int number = 0; number < 25 && !vfs->left(); ++number) {
        ASSERT_TRUE(put(*store, number));
        vfs->acknowledged = number + 1;
      }
    }
    if (!vfs->left()) continue;
    ++cuts;
    const auto left = *vfs->left();
    const int acknowledged = vfs->acknowledged_at_cut;
    vfs.reset();
    const testing::TemporaryDirectory after;
    for (const auto& [path, content] : left) {
      std::ofstream(after.file(path.substr(path.rfind('/') + 1)), std::ios::binary) << content;
    }
    const int rows = intact_rows(after.file("a.db"));
    ASSERT_GE(rows, acknowledged - how.allowed_loss) << "seed " << seed;
    ASSERT_EQ(integrity_of(after.file("a.db")), "ok") << "seed " << seed;
  }
  EXPECT_GT(cuts, 40);
}

TEST(SqliteDurabilityTest, APowerCutLosesNothingWithARollbackJournal) { survive_power_cuts({false, false, 0}); }

TEST(SqliteDurabilityTest, APowerCutLosesNothingWithALogAndFullDurability) { survive_power_cuts({true, true, 0}); }

TEST(SqliteDurabilityTest, APowerCutMayLoseTheLastWritesOfALogButDamagesNothing) {
  survive_power_cuts({true, false, 1'000});
}

TEST(SqliteDurabilityTest, AFullDiskIsAnErrorAndKeepsWhatIsThere) {
  const testing::TemporaryDirectory directory;
  const auto mount_point = directory.file("small");
  ASSERT_EQ(::mkdir(mount_point.c_str(), 0700), 0);
  if (::mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=400k") != 0)
    GTEST_SKIP() << "skipped: cannot mount a tmpfs";
  for (const bool exclusive : {false, true}) {
    const auto path = mount_point + (exclusive ? "/b.db" : "/a.db");
    int stored = 0;
    {
      const auto store = make_sqlite_key_value_store(options(path, exclusive)).value();
      ASSERT_TRUE(store->write("other", {{"k", std::string(50'000, 'v'), {}, {}}}, {}));
      auto written = put(*store, stored);
      while (written && stored < 1'000) written = put(*store, ++stored);
      EXPECT_EQ(written.error().code, ErrorCode::limit_exceeded) << written.error().message;
      EXPECT_GT(stored, 10);
      EXPECT_TRUE(store->read("n", {"0"}, {}).value()[0]) << "reading goes on";
      const auto erased = store->erase_namespace("other", {});
      EXPECT_TRUE(erased || erased.error().code == ErrorCode::limit_exceeded) << "erasing takes room as well";
    }
    // Opening takes a little room itself.
    ASSERT_EQ(::mount("tmpfs", mount_point.c_str(), "tmpfs", MS_REMOUNT, "size=2m"), 0);
    EXPECT_EQ(intact_rows(path), stored);
    EXPECT_EQ(integrity_of(path), "ok");
    std::filesystem::remove(path);
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-journal");
    ASSERT_EQ(::mount("tmpfs", mount_point.c_str(), "tmpfs", MS_REMOUNT, "size=400k"), 0);
  }
  ::umount(mount_point.c_str());
}

/// A disk that fails at every single operation in turn.
void survive_failures(bool exclusive, int code, LossyVfs::Failing how) {
  int failures = 0;
  for (int operations = 0; operations < 70; ++operations) {
    const testing::TemporaryDirectory directory;
    const auto path = directory.file("a.db");
    int acknowledged = 0;
    {
      LossyVfs vfs(1);
      const auto store = make_sqlite_key_value_store(options(path, exclusive)).value();
      vfs.fail_after(operations, how, code);
      Result<std::uint64_t> written = 0;
      while (written && acknowledged < 8) {
        written = put(*store, acknowledged);
        if (written) ++acknowledged;
      }
      if (!vfs.has_failed()) break;
      ++failures;
      if (!written) {
        const auto found = written.error().code;
        ASSERT_TRUE(found == ErrorCode::unavailable || found == ErrorCode::limit_exceeded) << written.error().message;
        if (found == ErrorCode::unavailable) {
          ASSERT_EQ(put(*store, 100).error().code, ErrorCode::unavailable) << "until it is opened again";
        }
      }
    }
    const int rows = intact_rows(path);
    ASSERT_GE(rows, acknowledged) << operations;
    ASSERT_LE(rows, acknowledged + 1) << operations;
    ASSERT_EQ(integrity_of(path), "ok") << operations;
  }
  EXPECT_GT(failures, 10);
}

TEST(SqliteDurabilityTest, ADiskThatFailsAtAnyOperationDamagesNothing) {
  for (const bool exclusive : {false, true}) {
    for (const auto how : {LossyVfs::Failing::once, LossyVfs::Failing::forever}) {
      survive_failures(exclusive, SQLITE_IOERR_WRITE, how);
    }
  }
}

std::string content_of(const std::string& path) {
  std::stringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

using Files = std::map<std::string, std::string>;  // by what stands after the path of the database

/// Changes bytes of one of the files, many times over: what is read is as it was written, or not there, or an error.
void survive_changed_bytes(const Files& original, const std::string& changed) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.file("damaged.db");
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    for (const auto& [suffix, content] : original) {
      auto bytes = content;
      if (suffix == changed) {
        // Every byte of the header, then anywhere.
        const auto position = round < 100 ? static_cast<std::size_t>(round) : random() % bytes.size();
        bytes[position] = static_cast<char>(bytes[position] ^ (1 + random() % 255));
        if (round % 10 == 9) bytes.resize(random() % bytes.size());
      }
      std::ofstream(path + suffix, std::ios::binary) << bytes;
    }
    const auto store = make_sqlite_key_value_store(options(path));
    for (int i = 0; store && i < 40; ++i) {
      const auto read = (*store)->read("n", {std::to_string(i)}, {});
      if (read && (*read)[0]) {
        ASSERT_EQ((*read)[0]->value, value_of(i)) << "round " << round;
      }
    }
    if (store) (void)(*store)->write("n", {{"new", "v", {}, {}}}, {});
    for (const auto* suffix : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
  }
}

TEST(SqliteDurabilityTest, AChangedByteIsNoticedOrDoesNotMatter) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.file("a.db");
  {
    const auto store = make_sqlite_key_value_store(options(path)).value();
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(put(*store, i));
  }
  survive_changed_bytes({{"", content_of(path)}}, "");
}

TEST(SqliteDurabilityTest, AChangedByteOfALogIsNoticedOrDoesNotMatter) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.file("a.db");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = make_sqlite_key_value_store(options(path, true)).value();
    for (int i = 0; i < 40; ++i) (void)put(*store, i);
    ::_exit(0);  // and leaves the log behind
  }
  ::waitpid(child, nullptr, 0);
  const Files files = {{"", content_of(path)}, {"-wal", content_of(path + "-wal")}};
  ASSERT_GT(files.at("-wal").size(), 100'000u);
  survive_changed_bytes(files, "-wal");
}

TEST(SqliteDurabilityTest, APowerCutWhileTheTablesAreMadeLeavesAFileThatOpens) {
  int cuts = 0;
  for (int operations = 0; operations < 40; ++operations) {
    const testing::TemporaryDirectory before;
    auto vfs = std::make_unique<LossyVfs>(static_cast<std::uint32_t>(operations));
    vfs->cut_power_after(operations);
    ASSERT_TRUE(make_sqlite_key_value_store(options(before.file("a.db"))));
    if (!vfs->left()) break;
    ++cuts;
    const auto left = *vfs->left();
    vfs.reset();
    const testing::TemporaryDirectory after;
    for (const auto& [path, content] : left) {
      std::ofstream(after.file(path.substr(path.rfind('/') + 1)), std::ios::binary) << content;
    }
    const auto store = make_sqlite_key_value_store(options(after.file("a.db")));
    ASSERT_TRUE(store) << operations << ": " << store.error().message;
    EXPECT_TRUE(put(**store, 0));
  }
  EXPECT_GT(cuts, 10);
}

}  // namespace
}  // namespace ctxmgr
