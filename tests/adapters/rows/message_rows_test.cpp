#include "adapters/rows/message_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace ctxmgr::conversation {
namespace {

ConversationMessage message_of(std::string text) {
  ConversationMessage message{Role::assistant, std::move(text)};
  message.tool_calls = {{"id", "tool", "{}", "{ }"}};
  message.created_at = Timestamp(std::chrono::milliseconds(1));
  return message;
}

TEST(MessageRowTest, ComesBackAndKeepsItsFormForever) {
  const MessageRow row = to_row(message_of("hello"), 3, 7);
  EXPECT_EQ(row.tool_data, R"({"tool_calls":[{"id":"id","name":"tool","arguments":"{}","extra":"{ }"}]})");
  EXPECT_EQ(row.content_hash, "a50940aade27d7ab");
  const auto back = from_row(row);
  ASSERT_TRUE(back);
  EXPECT_EQ(text_of(*back), "hello");
  EXPECT_EQ(back->sequence_number, 3);
}

TEST(MessageRowTest, AnEditedColumnIsBadData) {
  const MessageRow good = to_row(message_of("hello"), 3, 7);
  for (const auto column : {&MessageRow::role, &MessageRow::content, &MessageRow::agent, &MessageRow::tool_data,
                            &MessageRow::reasoning_data, &MessageRow::retention, &MessageRow::content_kind}) {
    MessageRow edited = good;
    edited.*column = edited.*column == "user" ? "system" : "user";
    EXPECT_EQ(from_row(edited).error().code, ErrorCode::bad_data);
  }
  MessageRow moved = good;
  moved.sequence_number = 4;
  EXPECT_EQ(from_row(moved).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::conversation
