#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/recorded_history.hpp"
#include "adapters/sqlite/temporary_file.hpp"
#include "adapters/store_races.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "ctxmgr/testing/conformance.hpp"
#include "session/isolation.hpp"

namespace ctxmgr {
namespace {

using ::testing::IsEmpty;

std::vector<std::string> check(SqliteSharing sharing) {
  const testing::TemporaryDirectory directory;
  int number = 0;
  return testing::check_key_value_store({[&] {
                                           SqliteOptions options;
                                           options.path = directory.file(std::to_string(++number) + ".db");
                                           options.sharing = sharing;
                                           return make_sqlite_key_value_store(options).value();
                                         },
                                         {}});
}

TEST(SqliteKeyValueStoreThreadsTest, KeepsThePortsPromisesOnASharedFile) {
  EXPECT_THAT(check(SqliteSharing::shared), IsEmpty());
}

TEST(SqliteKeyValueStoreThreadsTest, KeepsThePortsPromisesOnAFileOfItsOwn) {
  EXPECT_THAT(check(SqliteSharing::exclusive), IsEmpty());
}

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
  EXPECT_EQ(session->get("artifact:" + content_hash(artifact)).value().value().value, "net 30");
  EXPECT_EQ(SummaryCache({open(), std::chrono::hours(1), {}, {}}).lookup({"s", "report", content_hash(artifact)}),
            "a summary");
}

TEST_F(SqliteSharedFileTest, NoInputToOneSessionReachesAnother) { EXPECT_TRUE(testing::sessions_are_isolated(open())); }

}  // namespace
}  // namespace ctxmgr
