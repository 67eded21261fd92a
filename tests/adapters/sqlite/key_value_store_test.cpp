#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/sqlite/temporary_file.hpp"
#include "adapters/store_races.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
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

TEST_F(SqliteSharedFileTest, FourProcessesLoseNoUpdate) {
  testing::expect_no_lost_update_among_processes([&] { return open(); }, 3);
}

TEST_F(SqliteSharedFileTest, NoInputToOneSessionReachesAnother) { EXPECT_TRUE(testing::sessions_are_isolated(open())); }

}  // namespace
}  // namespace ctxmgr
