#include "adapters/sql/schema.hpp"

#include <thread>
#include <vector>

#include "adapters/sql/server_fixture.hpp"
#include "support/page_queries.hpp"

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

TEST_P(SqlSchemaTest, TheQueriesOfThePageFindWhatTheyAreFor) {
  ASSERT_TRUE(testing::append_report_thread(*open()));
  const auto queries = testing::queries_of_page(CTXMGR_TEST_WORKFLOWS_PAGE);
  EXPECT_EQ(queries.size(), 5U);
  const auto session = raw();
  for (const auto& query : queries) {
    soci::row row;
    *session << query, soci::into(row);
    EXPECT_TRUE(session->got_data()) << query;
  }
}

TEST_P(SqlSchemaTest, RowsOfTheFirstVersionHaveTheNewNamesAsWell) {
  const auto store = open();
  ConversationMessage message{Role::user, "then"};
  message.created_at = Timestamp(std::chrono::milliseconds(1'500));
  ASSERT_TRUE(store->append("w", {message, {Role::assistant, "now"}}, {}, {}));
  const auto session = raw();
  *session << "ALTER TABLE conversation_messages DROP COLUMN workflowId";
  *session << "ALTER TABLE conversation_messages DROP COLUMN createdAt";
  *session << "DELETE FROM ctxmgr_schema WHERE version = 2";
  ASSERT_TRUE(sql::migrate(*session, backend()));
  int found = 0;
  *session << "SELECT COUNT(*) FROM conversation_messages WHERE createdAt = '1970-01-01 00:00:01.5' AND workflowId = "
              "(SELECT id FROM workflows)",
      soci::into(found);
  EXPECT_EQ(found, 1);
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlSchemaTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));
INSTANTIATE_TEST_SUITE_P(Servers, SqlSchemaThreadsTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

}  // namespace
}  // namespace ctxmgr
