#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "adapters/long_listing.hpp"
#include "adapters/quiet_errors.hpp"
#include "adapters/recorded_history.hpp"
#include "adapters/sqlite/temporary_file.hpp"
#include "adapters/store_races.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "ctxmgr/testing/conformance.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "session/isolation.hpp"

namespace ctxmgr {
namespace {

using ::testing::IsEmpty;

std::vector<std::string> check(bool exclusive) {
  const testing::TemporaryDirectory directory;
  const auto clock = std::make_shared<testing::ManualClock>();
  int number = 0;
  const auto make = [&] {
    SqliteOptions options;
    options.path = directory.file(std::to_string(++number) + ".db");
    options.exclusive = exclusive;
    options.clock = clock;
    return make_sqlite_key_value_store(options).value();
  };
  return testing::check_key_value_store(make, [&](std::chrono::milliseconds by) { clock->advance(by); });
}

TEST(SqliteKeyValueStoreThreadsTest, KeepsThePortsPromisesOnASharedFile) { EXPECT_THAT(check(false), IsEmpty()); }

TEST(SqliteKeyValueStoreThreadsTest, KeepsThePortsPromisesOnAFileOfItsOwn) { EXPECT_THAT(check(true), IsEmpty()); }

class SqliteSharedFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<KeyValueStore> open() const {
    SqliteOptions options;
    options.path = directory_.file("a.db");
    return make_sqlite_key_value_store(options).value();
  }

  testing::TemporaryDirectory directory_;
};
using SqliteSharedFileThreadsTest = SqliteSharedFileTest;

TEST_F(SqliteSharedFileThreadsTest, SixtyFourThreadsLoseNoUpdate) {
  testing::expect_no_lost_update_among_threads([&] { return open(); }, 3);
}

TEST_F(SqliteSharedFileThreadsTest, CallsOnOneKeyAreLinearizable) {
  testing::expect_linearizable([&] { return open(); }, {0, 6, 2, 12}, 5);
  testing::expect_linearizable([&] { return open(); }, {0, 64, 8, 4}, 1);
}

/// How many descriptors of this process are open on files of a folder.
std::size_t descriptors_below(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && target.native().starts_with(folder.native())) ++count;
  }
  return count;
}

TEST_F(SqliteSharedFileThreadsTest, TheLastOfItsUsersClosesTheFile) {
  const auto folder = std::filesystem::path(directory_.file("a.db")).parent_path();
  std::shared_ptr<KeyValueStore> store = open();
  EXPECT_GT(descriptors_below(folder), 0U);
  std::vector<std::thread> users;
  for (int t = 0; t < 8; ++t) {
    users.emplace_back([own = store, t] {
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(own->write("n", {{std::to_string(t), "v", {}, {}}}, {}));
    });
  }
  store.reset();
  for (auto& user : users) user.join();
  users.clear();
  EXPECT_EQ(descriptors_below(folder), 0U);
  EXPECT_EQ(open()->list("n", {}, {}, 100, {}).value().size(), 8U);
}

TEST_F(SqliteSharedFileTest, CallsOfFourProcessesAreLinearizable) {
  testing::expect_linearizable([&] { return open(); }, {4, 2, 2, 10}, 3);
}

TEST_F(SqliteSharedFileTest, FourProcessesLoseNoUpdate) {
  testing::expect_no_lost_update_among_processes([&] { return open(); }, 3);
}

TEST_F(SqliteSharedFileTest, WhatOneProcessKeepsAnotherReadsAfterItsEnd) {
  const auto artifact = make_document("report", "net 30");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto session = ContextStore::open(testing::session_options(open(), "s")).value();
    const SummaryCache cache({open(), std::chrono::hours(1), {}, {}});
    cache.store({"s", "report", content_hash(artifact)}, "a summary");
    ::_exit(session->keep(artifact, {}) && session->set("notes", "half done") ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  const auto session = ContextStore::open(testing::session_options(open(), "s")).value();
  EXPECT_EQ(session->get("notes").value().value().value, "half done");
  EXPECT_EQ(session->get("artifact:" + content_hash(artifact).substr(0, artifact_key_digits)).value().value().value,
            "net 30");
  EXPECT_EQ(SummaryCache({open(), std::chrono::hours(1), {}, {}}).lookup({"s", "report", content_hash(artifact)}),
            "a summary");
}

TEST_F(SqliteSharedFileTest, ErrorsQuoteNothing) {
  const auto store = open();
  EXPECT_EQ(testing::expect_errors_quote_nothing(*store), 7);
  sqlite3* another = nullptr;
  ASSERT_EQ(sqlite3_open(directory_.file("a.db").c_str(), &another), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(another, "DROP TABLE kv", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(another);
  EXPECT_EQ(testing::expect_errors_quote_nothing(*store), 11);
}

TEST_F(SqliteSharedFileTest, ALongListingIsStableWhileOthersWrite) { testing::expect_listing_is_stable(*open()); }

TEST_F(SqliteSharedFileTest, AValueTooLargeForAnyStoreIsALimitAndNoFailure) {
  const auto store = open();
  ASSERT_TRUE(store->write("n", {{"k", "v", {}, {}}}, {}));
  sqlite3* another = nullptr;
  ASSERT_EQ(sqlite3_open(directory_.file("a.db").c_str(), &another), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(another, "UPDATE kv SET value = zeroblob(70000000)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(another);
  EXPECT_EQ(store->read("n", {"k"}, {}).error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(store->list("n", {}, {}, 10, {}).value().front().value_bytes, 70'000'000u);
  EXPECT_TRUE(store->write("n", {{"k", "small again", {}, {}}}, {}));
  EXPECT_TRUE(store->read("n", {"k"}, {}));
}

/// A clock that somebody sets.
class WallClock final : public Clock {
 public:
  using Time = std::chrono::sys_time<std::chrono::seconds>;
  void set(Time time) { now_ = time; }
  Timestamp now() const override { return now_; }
  std::chrono::steady_clock::time_point steady_now() const override { return {}; }
  void sleep_until(std::chrono::steady_clock::time_point, const CallOptions&) override {}

 private:
  Time now_{};
};

TEST_F(SqliteSharedFileTest, AClockThatIsSetMovesExpiryAndNothingElse) {
  using namespace std::chrono_literals;
  const auto clock = std::make_shared<WallClock>();
  SqliteOptions options;
  options.path = directory_.file("a.db");
  options.clock = clock;
  const auto store = make_sqlite_key_value_store(options).value();
  const auto has = [&](const std::string& key) { return store->read("n", {key}, {}).value().front().has_value(); };
  const auto put = [&](const std::string& key, std::optional<std::chrono::milliseconds> ttl = {}) {
    return store->write("n", {{key, "v", ttl, {}}}, {}).value();
  };
  std::uint64_t last = 0;
  // A new machine, the end of 32 bits, summer time, today, far ahead; each time back by an hour and on by ten years.
  for (const auto start : {WallClock::Time{}, WallClock::Time{2'147'483'640s}, WallClock::Time{1'792'890'000s},
                           WallClock::Time{1'795'000'000s}, WallClock::Time{8'000'000'000s}}) {
    clock->set(start);
    for (const auto version : {put("stays"), put("hour", 1h), put("decade", 24h * 365 * 10)}) {
      EXPECT_GT(version, last);
      last = version;
    }
    clock->set(start - 1h);
    EXPECT_TRUE(has("stays") && has("hour") && has("decade")) << "lives an hour longer";
    EXPECT_GT(put("stays"), last) << "versions do not go back";
    clock->set(start + 1h);
    EXPECT_TRUE(has("stays") && !has("hour") && has("decade"));
    clock->set(start + 24h * 365 * 10);
    EXPECT_TRUE(has("stays") && !has("hour") && !has("decade"));
    EXPECT_EQ(store->list("n", {}, {}, 10, {}).value().size(), 1u);
    last = put("stays");
  }
}

TEST(SqliteErasureTest, OfADestroyedSessionAndWhatWasDerivedFromItNothingIsLeftInTheFiles) {
  for (const bool exclusive : {false, true}) {
    const testing::TemporaryDirectory directory;
    SqliteOptions options;
    options.path = directory.file("a.db");
    options.exclusive = exclusive;
    const std::shared_ptr<KeyValueStore> store = make_sqlite_key_value_store(options).value();
    const std::string canary = "canary-5e1d";
    const auto session = ContextStore::open(testing::session_options(store, canary)).value();
    const SummaryCache summaries({store, std::chrono::hours(1), {}, {}});
    const AttachmentSource attachments{store, "attachments of " + canary};
    ASSERT_TRUE(session->set(canary, canary + std::string(100'000, 'x')));
    ASSERT_TRUE(session->keep(make_document(canary, canary), {}));
    summaries.store({canary, canary, canary, ProcessingStrategy::summarize, canary}, canary);
    ASSERT_TRUE(store_attachment(attachments, {canary, canary, canary}));
    ASSERT_TRUE(ContextStore::open(testing::session_options(store, "other")).value()->set("k", "stays"));

    ASSERT_TRUE(session->destroy() && summaries.clear(canary) && store->erase_namespace(attachments.name_space, {}));
    bool found_other = false;
    for (const auto* suffix : {"", "-journal", "-wal"}) {
      std::ifstream file(options.path + suffix, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      EXPECT_EQ(bytes.find(canary), std::string::npos) << suffix;
      found_other |= bytes.find("stays") != std::string::npos;
    }
    EXPECT_TRUE(found_other);
  }
}

TEST_F(SqliteSharedFileTest, NoInputToOneSessionReachesAnother) { EXPECT_TRUE(testing::sessions_are_isolated(open())); }

}  // namespace
}  // namespace ctxmgr
