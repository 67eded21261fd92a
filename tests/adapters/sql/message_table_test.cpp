#include "adapters/sql/message_table.hpp"

#include "adapters/rows/stored_columns.hpp"
#include "adapters/sql/schema.hpp"
#include "adapters/sql/server_fixture.hpp"

namespace ctxmgr {
namespace {

using SqlMessageTableTest = testing::SqlServerTest;

TEST(SentBytesTest, CountQuotesAndEscapes) {
  EXPECT_EQ(sql::sent_bytes("plain"), 8U);
  EXPECT_EQ(sql::sent_bytes("it's\n"), 10U);
}

TEST_P(SqlMessageTableTest, SelectsWhatWasInsertedInEitherOrder) {
  ASSERT_TRUE(sql::migrate(*raw(), backend()));
  const auto key = conversation::to_hex("w");
  *raw() << "INSERT INTO workflows (name_key, name, last_sequence, last_step, status, estimated_tokens, created_at)"
            " VALUES ('" +
                key + "', 'w', 0, 0, 'active', 0, 0)";
  std::int64_t id = 0;
  *raw() << "SELECT id FROM workflows", soci::into(id);
  std::vector<sql::InsertedRow> rows;
  for (std::int64_t i = 1; i <= 3; ++i) {
    ConversationMessage message{Role::user, "it's " + std::to_string(i)};
    if (i == 2) message.retention = Retention::pinned;
    rows.push_back({conversation::to_row(message, i, 1), id, 3, {}, soci::i_null});
  }
  sql::insert_messages(*raw(), rows);
  MessageQuery query;
  query.limit = 2;
  query.newest_first = true;
  const auto newest = sql::select_messages(*raw(), id, query);
  ASSERT_TRUE(newest);
  ASSERT_EQ(newest->size(), 2U);
  EXPECT_EQ(text_of(newest->front()), "it's 3");
  query = {};
  query.fixed_only = true;
  const auto fixed = sql::select_messages(*raw(), id, query);
  ASSERT_TRUE(fixed);
  ASSERT_EQ(fixed->size(), 1U);
  EXPECT_EQ(fixed->front().sequence_number, 2);
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlMessageTableTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

}  // namespace
}  // namespace ctxmgr
