#include "adapters/sqlite/database.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "adapters/sqlite/temporary_file.hpp"

namespace ctxmgr::sqlite {
namespace {

using namespace std::chrono_literals;

const CallOptions no_limits;

class DatabaseTest : public ::testing::Test {
 protected:
  SqliteOptions options(const std::string& name = "a.db") const {
    SqliteOptions options;
    options.path = directory_.file(name);
    options.busy_timeout = 50ms;
    return options;
  }

  Result<std::unique_ptr<Database>> open(const std::string& name = "a.db") const {
    return Database::open(options(name));
  }

  ErrorCode code_of_opening(const std::string& name) const {
    const auto opened = open(name);
    return opened ? ErrorCode::internal : opened.error().code;
  }

  /// What another program did to a file.
  void execute(const std::string& sql, const std::string& name = "a.db") const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(directory_.file(name).c_str(), &connection), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }

  static Result<void> insert(Database& database, std::int64_t number, const CallOptions& call = {}) {
    auto transaction = database.begin(Mode::write, call);
    if (!transaction) return tl::unexpected(transaction.error());
    auto statement = transaction->prepare("INSERT INTO kv VALUES ('n', ?1, 1, NULL, 0, 'v')");
    if (auto done = statement.bind(1, number).run(); !done) return done;
    return transaction->commit();
  }

  static std::int64_t count(Database& database) {
    auto transaction = database.begin(Mode::statement, no_limits).value();
    auto statement = transaction.prepare("SELECT count(*) FROM kv");
    EXPECT_TRUE(statement.step().value());
    return statement.integer(0);
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(DatabaseTest, AnyTimeToWaitWillDo) {
  for (const auto timeout : {std::chrono::milliseconds::max(), std::chrono::milliseconds::min()}) {
    auto waiting = options();
    waiting.busy_timeout = timeout;
    const auto database = Database::open(waiting);
    ASSERT_TRUE(database) << database.error().message;
    EXPECT_TRUE(insert(**database, timeout.count() > 0 ? 1 : 2));
  }
}

TEST_F(DatabaseTest, CreatesFilesForTheirOwnerAlone) {
  auto exclusive = options();
  exclusive.exclusive = true;
  const auto database = Database::open(exclusive).value();
  ASSERT_TRUE(insert(*database, 1));
  for (const auto* name : {"a.db", "a.db-wal"}) {
    struct stat info {};
    ASSERT_EQ(::stat(directory_.file(name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777u, 0600u) << name;
  }
}

TEST_F(DatabaseTest, KeepsWhatWasCommittedAndNothingElse) {
  auto database = open().value();
  ASSERT_TRUE(insert(*database, 1));
  {
    auto transaction = database->begin(Mode::write, no_limits).value();
    ASSERT_TRUE(transaction.prepare("INSERT INTO kv VALUES ('n', 2, 1, NULL, 0, 'v')").run());
  }
  EXPECT_EQ(count(*database), 1);
  database.reset();
  EXPECT_EQ(count(*open().value()), 1);
}

TEST_F(DatabaseTest, OneFileIsOpenedManyTimes) {
  const auto first = open().value();
  const auto second = open().value();
  ASSERT_TRUE(insert(*first, 1));
  ASSERT_TRUE(insert(*second, 2));
  EXPECT_EQ(count(*first), 2);
}

TEST_F(DatabaseTest, UsesAWriteAheadLogOnlyWhereItIsSafe) {
  const auto mode_of = [](const SqliteOptions& how) {
    const auto database = Database::open(how).value();
    auto transaction = database->begin(Mode::statement, no_limits).value();
    auto statement = transaction.prepare("PRAGMA journal_mode");
    EXPECT_TRUE(statement.step().value());
    return std::string(statement.blob(0));
  };
  auto exclusive = options("exclusive.db");
  exclusive.exclusive = true;
  EXPECT_EQ(mode_of(exclusive), "wal");
  EXPECT_EQ(mode_of(options("shared.db")), sqlite3_libversion_number() >= 3'051'003 ? "wal" : "truncate");
  // A file that somebody left with a log is turned back before it is shared.
  EXPECT_EQ(mode_of(options("exclusive.db")), sqlite3_libversion_number() >= 3'051'003 ? "wal" : "truncate");
}

TEST_F(DatabaseTest, AnExclusiveFileIsNobodyElses) {
  auto exclusive = options();
  exclusive.exclusive = true;
  auto first = Database::open(exclusive).value();
  ASSERT_TRUE(insert(*first, 1));
  EXPECT_EQ(code_of_opening("a.db"), ErrorCode::unavailable);
  first.reset();
  EXPECT_EQ(count(*open().value()), 1);
}

TEST_F(DatabaseTest, RefusesFilesThatAreNotItsOwnAndLeavesThemAlone) {
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(directory_.file(name), std::ios::binary) << bytes;
  };
  write("text.db",
        "This is a letter and no database, and it is long enough to have room for a header of any kind, even "
        "that of a database file, which takes a hundred bytes.");
  EXPECT_EQ(code_of_opening("text.db"), ErrorCode::bad_data);
  execute("CREATE TABLE theirs(x)", "theirs.db");
  EXPECT_EQ(code_of_opening("theirs.db"), ErrorCode::bad_data);
  execute("PRAGMA user_version = 7", "numbered.db");
  EXPECT_EQ(code_of_opening("numbered.db"), ErrorCode::bad_data);
  write("empty.db", "");
  EXPECT_TRUE(open("empty.db")) << "an empty file is a new database";
}

TEST_F(DatabaseTest, RefusesANewerSchema) {
  ASSERT_TRUE(open());
  execute("PRAGMA user_version = 1000");
  EXPECT_EQ(code_of_opening("a.db"), ErrorCode::bad_data);
  execute("PRAGMA user_version = -1");
  EXPECT_EQ(code_of_opening("a.db"), ErrorCode::bad_data);
}

TEST_F(DatabaseTest, SaysWhyAPathCannotBeOpened) {
  EXPECT_EQ(code_of_opening("no/such/directory/a.db"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of_opening("."), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of_opening(std::string("a\0b", 3)), ErrorCode::invalid_argument);
  EXPECT_EQ(Database::open({}).error().code, ErrorCode::invalid_argument);
}

TEST_F(DatabaseTest, AFileNamedLikeAMemoryDatabaseIsAFile) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.file(""));
  SqliteOptions memory;
  memory.path = ":memory:";
  EXPECT_TRUE(Database::open(memory));
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(directory_.file(":memory:")));
}

TEST_F(DatabaseTest, WaitsForAnotherWriterOnlyAsLongAsItMay) {
  const auto first = open().value();
  const auto second = open().value();
  const auto held = first->begin(Mode::write, no_limits);
  EXPECT_EQ(insert(*second, 1).error().code, ErrorCode::unavailable);
  CallOptions late;
  late.deadline = std::chrono::steady_clock::now() + 5ms;
  EXPECT_EQ(insert(*second, 1, late).error().code, ErrorCode::deadline_exceeded);
  int asked = 0;
  const CallOptions cancelled{CancellationToken([&] { return ++asked > 2; }), {}};
  EXPECT_EQ(insert(*second, 1, cancelled).error().code, ErrorCode::cancelled);
}

TEST_F(DatabaseTest, ALongStatementEndsWhenItIsCancelled) {
  const auto database = open().value();
  int asked = 0;
  const CallOptions call{CancellationToken([&] { return ++asked > 20; }), {}};
  auto transaction = database->begin(Mode::statement, call).value();
  auto endless =
      transaction.prepare("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
  EXPECT_EQ(endless.step().error().code, ErrorCode::cancelled);
}

TEST_F(DatabaseTest, AFileThatIsReplacedOrRemovedTakesNoWritesAndReadsNoticeSoon) {
  const auto database = open().value();
  std::filesystem::rename(directory_.file("a.db"), directory_.file("b.db"));
  EXPECT_EQ(insert(*database, 1).error().code, ErrorCode::unavailable);
  ASSERT_TRUE(open());
  EXPECT_EQ(insert(*database, 1).error().code, ErrorCode::unavailable);
  int reads = 0;
  while (reads < 100 && database->begin(Mode::statement, no_limits)) ++reads;
  EXPECT_LE(reads, 16);
}

TEST_F(DatabaseTest, ALongReaderHoldsUpWritersOrTheLogOnlyAsLongAsItReads) {
  const auto database = open().value();
  const auto insert_large = [&](std::int64_t number) -> Result<void> {
    auto transaction = database->begin(Mode::write, no_limits);
    if (!transaction) return tl::unexpected(transaction.error());
    auto statement = transaction->prepare("INSERT INTO kv VALUES ('n', ?1, 1, NULL, 0, zeroblob(1000000))");
    if (auto done = statement.bind(1, number).run(); !done) return done;
    return transaction->commit();
  };
  const auto log_bytes = [&] { return std::filesystem::file_size(directory_.file("a.db-wal")); };
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(directory_.file("a.db").c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM kv", nullptr, nullptr, nullptr), SQLITE_OK);
  const bool has_log = std::filesystem::exists(directory_.file("a.db-wal"));
  for (int i = 0; has_log && i < 12; ++i) ASSERT_TRUE(insert_large(i)) << "a log lets readers be";
  if (has_log) {
    EXPECT_GT(log_bytes(), 12'000'000u);
  } else {
    EXPECT_EQ(insert_large(0).error().code, ErrorCode::unavailable);
  }
  sqlite3_close(reader);
  for (int i = 20; i < 22; ++i) ASSERT_TRUE(insert_large(i));
  EXPECT_LE(has_log ? log_bytes() : 0, 4u << 20);
  EXPECT_EQ(count(*database), has_log ? 14 : 2);
}

TEST_F(DatabaseTest, TheLogOfALargeWriteIsCutBack) {
  auto exclusive = options();
  exclusive.exclusive = true;
  const auto database = Database::open(exclusive).value();
  {
    auto transaction = database->begin(Mode::write, no_limits).value();
    ASSERT_TRUE(transaction.prepare("INSERT INTO kv VALUES ('n', 0, 1, NULL, 0, zeroblob(16000000))").run());
    ASSERT_TRUE(transaction.commit());
  }
  EXPECT_GT(std::filesystem::file_size(directory_.file("a.db-wal")), 16'000'000u);
  ASSERT_TRUE(insert(*database, 1));
  EXPECT_LE(std::filesystem::file_size(directory_.file("a.db-wal")), 4u << 20);
}

TEST_F(DatabaseTest, IsNotUsedAcrossFork) {
  auto database = open().value();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool refused = database->begin(Mode::statement, no_limits).error().code == ErrorCode::invalid_argument;
    database.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(insert(*database, 1));
}

TEST_F(DatabaseTest, OneThatWritesAllTheTimeLetsOthersWrite) {
  auto patient = options();
  patient.busy_timeout = 300ms;
  const auto busy = Database::open(patient).value();
  const auto other = Database::open(patient).value();
  std::atomic<bool> ends = false;
  std::atomic<int> writes = 0;
  std::thread writer([&] {
    for (std::int64_t i = 1'000; !ends; ++i) {
      auto transaction = busy->begin(Mode::write, no_limits);
      if (!transaction) continue;
      auto statement = transaction->prepare("INSERT INTO kv VALUES ('n', ?1, 1, NULL, 0, 'v')");
      (void)statement.bind(1, i).run();
      std::this_thread::sleep_for(20ms);  // as a disk does that takes its time
      (void)transaction->commit();
      ++writes;
    }
  });
  // SQLite's lock has no queue: whoever asks now and then hits the moment between two writes by chance alone.
  int written = 0;
  for (int i = 0; i < 12; ++i) {
    for (const int before = writes; writes < before + 2;) std::this_thread::yield();  // it is at it again
    written += insert(*other, i) ? 1 : 0;
  }
  ends = true;
  writer.join();
  EXPECT_GE(written, 10);
}

TEST(DatabaseThreadsTest, CallersTakeTurnsAndALateOneLeaves) {
  const testing::TemporaryDirectory directory;
  SqliteOptions options;
  options.path = directory.file("a.db");
  const auto database = Database::open(options).value();
  auto held = std::make_unique<Transaction>(database->begin(Mode::write, no_limits).value());
  std::thread([&] {
    CallOptions late;
    late.deadline = std::chrono::steady_clock::now() + 5ms;
    EXPECT_EQ(database->begin(Mode::write, late).error().code, ErrorCode::deadline_exceeded);
  }).join();
  std::thread waiting([&] { EXPECT_TRUE(database->begin(Mode::write, no_limits)); });
  held.reset();
  waiting.join();
}

}  // namespace
}  // namespace ctxmgr::sqlite
