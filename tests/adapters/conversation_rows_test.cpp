#include "adapters/conversation_rows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ctxmgr::conversation {
namespace {

using std::string_literals::operator""s;

RC_GTEST_PROP(StoredTextTest, AnyBytesComeBackAndAreTextForADatabase, (const std::string& bytes)) {
  const std::string stored = to_stored_text(bytes);
  RC_ASSERT(from_stored_text(stored) == bytes);
  RC_ASSERT(stored.find('\0') == std::string::npos);
}

TEST(StoredTextTest, ReadableTextStaysReadable) {
  EXPECT_EQ(to_stored_text("Grüße 漢字 'x'"), "Grüße 漢字 'x'");
  EXPECT_EQ(to_stored_text("a\0b"s), "hex:610062");
  EXPECT_EQ(to_stored_text("\xff"), "hex:ff");
  EXPECT_EQ(from_stored_text(to_stored_text("hex:zz")), "hex:zz");
}

TEST(StoredTextTest, DamagedHexIsBadData) {
  for (const auto* damaged : {"hex:6", "hex:6g", "hex:+1"}) {
    EXPECT_EQ(from_stored_text(damaged).error().code, ErrorCode::bad_data) << damaged;
  }
}

TEST(HexTest, SortsAsBytesDo) {
  EXPECT_LT(to_hex("a"), to_hex("a\0"s));
  EXPECT_LT(to_hex("\x7f"), to_hex("\x80"));
  EXPECT_LT(to_hex("ab\xff"), to_hex("ab") + "g");
}

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

TEST(StepRowTest, ConsecutiveRowsAreJoinedAndTextsNamedByHash) {
  SentContext sent;
  sent.last_sequence = 9;
  sent.messages = {{0, "{}"}, {1, ""}, {2, ""}, {3, ""}, {5, ""}, {0, "{}"}};
  const StepRow row = to_step_row(sent, 1);
  const std::string hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";  // sha256 of {}
  EXPECT_EQ(row.messages, "=" + hash + " 1-3 5 =" + hash);
  EXPECT_EQ(hashes_of(row)->size(), 1U);
  const auto back = from_step_row(row, texts_of(sent));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->messages.size(), 6U);
  EXPECT_EQ(back->messages[3].sequence_number, 3);
}

TEST(StepRowTest, AMissingOrEditedTextIsBadData) {
  SentContext sent;
  sent.messages = {{0, "text"}};
  const StepRow row = to_step_row(sent, 1);
  EXPECT_EQ(from_step_row(row, {}).error().code, ErrorCode::bad_data);
  TextsByHash edited = texts_of(sent);
  edited.begin()->second = "other";
  EXPECT_EQ(from_step_row(row, edited).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::conversation
