#include "adapters/sqlite/schema.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace ctxmgr::sqlite {
namespace {

class SqliteSchemaTest : public ::testing::Test {
 protected:
  SqliteSchemaTest() { sqlite3_open(":memory:", &connection_); }
  ~SqliteSchemaTest() override { sqlite3_close(connection_); }

  void execute(const std::string& sql) {
    ASSERT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  }

  std::int64_t number(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const auto value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
  }

  /// What a library left that knew the first version only.
  void make_first_version() {
    ASSERT_TRUE(migrate(connection_));
    for (const auto* table : {"workflow_texts", "workflow_steps", "conversation_messages", "workflows"}) {
      execute(std::string("DROP TABLE ") + table);
    }
    execute("PRAGMA user_version = 1; INSERT INTO kv VALUES ('n', 'k', 1, NULL, 0, 'v')");
  }

  sqlite3* connection_ = nullptr;
};

TEST_F(SqliteSchemaTest, ANewFileGetsAllTablesAndIsMarkedAsOurs) {
  ASSERT_TRUE(migrate(connection_));
  EXPECT_EQ(number("PRAGMA user_version"), 3);
  EXPECT_EQ(number("PRAGMA application_id"), 0x6374786d);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('kv', 'kv_counter',"
                   " 'workflows', 'conversation_messages', 'workflow_steps', 'workflow_texts')"),
            6);
  EXPECT_TRUE(migrate(connection_)) << "nothing is left to do";
}

TEST_F(SqliteSchemaTest, AnOlderFileKeepsItsRows) {
  make_first_version();
  ASSERT_TRUE(migrate(connection_));
  EXPECT_EQ(number("PRAGMA user_version"), 3);
  EXPECT_EQ(number("SELECT count(*) FROM kv"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM workflows"), 0);
}

TEST_F(SqliteSchemaTest, RowsOfTheSecondVersionHaveTheNewNamesAsWell) {
  ASSERT_TRUE(migrate(connection_));
  execute(
      "ALTER TABLE conversation_messages DROP COLUMN workflowId;"
      "ALTER TABLE conversation_messages DROP COLUMN createdAt; PRAGMA user_version = 2;"
      "INSERT INTO conversation_messages VALUES"
      " (1, 7, 1, 'user', '', 'normal', 0, 0, 0, 1, 1500, NULL, 1, '', '', '', '', '')");
  ASSERT_TRUE(migrate(connection_));
  EXPECT_EQ(number("SELECT workflowId FROM conversation_messages"), 7);
  EXPECT_EQ(number("SELECT createdAt = '1970-01-01 00:00:01.500' FROM conversation_messages"), 1);
}

TEST_F(SqliteSchemaTest, AMigrationThatFailsLeavesTheFileAsItWas) {
  make_first_version();
  execute("CREATE TABLE workflow_steps (theirs)");  // in the way of the last statements
  EXPECT_FALSE(migrate(connection_));
  EXPECT_EQ(number("PRAGMA user_version"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE name = 'workflows'"), 0);
  execute("DROP TABLE workflow_steps");
  EXPECT_TRUE(migrate(connection_));
}

TEST_F(SqliteSchemaTest, AForeignOrNewerFileIsLeftAlone) {
  execute("CREATE TABLE theirs (x)");
  EXPECT_EQ(migrate(connection_).error().code, ErrorCode::bad_data);
  execute("DROP TABLE theirs; PRAGMA application_id = 1");
  EXPECT_EQ(migrate(connection_).error().code, ErrorCode::bad_data);
  execute("PRAGMA application_id = 0x6374786d; PRAGMA user_version = 4");
  EXPECT_EQ(migrate(connection_).error().code, ErrorCode::bad_data);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema"), 0);
}

}  // namespace
}  // namespace ctxmgr::sqlite
