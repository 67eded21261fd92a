#include "adapters/rows/step_rows.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::conversation {
namespace {

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

TEST(StepRowTest, AReceiptIsATextOfItsOwnAndAStepWithoutOneIsAsBefore) {
  SentContext sent;
  sent.messages = {{1, ""}};
  EXPECT_EQ(to_step_row(sent, 1).messages, "1");
  EXPECT_EQ(from_step_row(to_step_row(sent, 1), {})->receipt_json, "");
  sent.receipt_json = "{}";
  const StepRow row = to_step_row(sent, 1);
  EXPECT_EQ(row.messages, "1 ?44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  const auto back = from_step_row(row, texts_of(sent));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->receipt_json, "{}");
  EXPECT_EQ(back->messages.size(), 1U);
  EXPECT_EQ(from_step_row(row, {}).error().code, ErrorCode::bad_data);
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
