#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/sqlite/temporary_file.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/testing/conformance.hpp"

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

}  // namespace
}  // namespace ctxmgr
