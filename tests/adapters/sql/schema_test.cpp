#include "adapters/sql/schema.hpp"

#include <thread>
#include <vector>

#include "adapters/sql/server_fixture.hpp"

namespace ctxmgr {
namespace {

using SqlSchemaTest = testing::SqlServerTest;
using SqlSchemaThreadsTest = testing::SqlServerTest;

TEST_P(SqlSchemaThreadsTest, ManyProcessesMayOpenAnEmptyDatabaseAtOnce) {
  std::vector<std::thread> openers;
  for (int i = 0; i < 8; ++i) openers.emplace_back([this] { EXPECT_NE(open(), nullptr); });
  for (auto& opener : openers) opener.join();
}

TEST_P(SqlSchemaTest, RefusesTablesOfANewerVersion) {
  ASSERT_NE(open(), nullptr);
  *raw() << "INSERT INTO ctxmgr_schema (version) VALUES (99)";
  const auto store = make_sql_conversation_store(options_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::bad_data);
}

TEST_P(SqlSchemaTest, AMigrationThatWasBrokenOffIsRepeated) {
  ASSERT_TRUE(sql::migrate(*raw(), backend()));
  *raw() << "DELETE FROM ctxmgr_schema";
  *raw() << "DROP TABLE workflow_texts";
  EXPECT_TRUE(sql::migrate(*raw(), backend()));
  EXPECT_TRUE(open()->record_step("w", {}, {}));
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlSchemaTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));
INSTANTIATE_TEST_SUITE_P(Servers, SqlSchemaThreadsTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

}  // namespace
}  // namespace ctxmgr
