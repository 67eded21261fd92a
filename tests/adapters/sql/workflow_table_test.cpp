#include "adapters/sql/workflow_table.hpp"

#include "adapters/sql/schema.hpp"
#include "adapters/sql/server_fixture.hpp"

namespace ctxmgr::sql {
namespace {

TEST(SqlWorkflowRowTest, ADamagedRowIsBadData) {
  WorkflowRow row;
  row.name_key = "77";
  row.info.last_sequence = 3;
  EXPECT_EQ(to_info(row)->conversation_id, "w");
  EXPECT_EQ(to_info(row)->last_sequence, 3);
  row.status = "asleep";
  EXPECT_EQ(to_info(row).error().code, ErrorCode::bad_data);
  row.status = "archived";
  row.name_key = "7";
  EXPECT_EQ(to_info(row).error().code, ErrorCode::bad_data);
}

using SqlWorkflowTableTest = testing::SqlServerTest;

TEST_P(SqlWorkflowTableTest, AConversationIsMadeOnceAndFoundAgain) {
  const auto session = raw();
  ASSERT_TRUE(migrate(*session, backend()));
  EXPECT_FALSE(find_workflow(*session, "w", Lock::none));
  const auto made = lock_or_create_workflow(*session, backend(), "w");
  EXPECT_EQ(lock_or_create_workflow(*session, backend(), "w").id, made.id);
  EXPECT_EQ(find_workflow(*session, "w", Lock::none)->id, made.id);
  EXPECT_NE(lock_or_create_workflow(*session, backend(), "W").id, made.id);
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlWorkflowTableTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

}  // namespace
}  // namespace ctxmgr::sql
