#include "core/history/history_reader.hpp"

#include <gtest/gtest.h>

#include "core/tool_messages.hpp"

namespace ctxmgr {
namespace {

using testing::calling;
using testing::result;

using Messages = std::vector<ConversationMessage>;

TEST(HistoryReaderTest, AHistoryThatGrowsIsReadOn) {
  HistoryReader reader(HistoryReader::Purpose::check);
  Messages messages{{Role::user, "u"}, calling({"a"}), calling({"b"})};
  messages.pop_back();
  reader.read(messages);
  EXPECT_TRUE(reader.notes().empty()) << "the call is open at the very end";
  messages.push_back(result("a"));
  reader.read(messages);
  messages.push_back(calling({"b"}));
  reader.read(messages);
  EXPECT_TRUE(reader.notes().empty());
  messages.push_back({Role::user, "v"});
  reader.read(messages);
  ASSERT_EQ(reader.notes().size(), 1U);
  EXPECT_EQ(reader.notes().front(), "message 4, call \"b\": it had no result");
}

TEST(HistoryReaderTest, WhatWasReadIsRememberedByItsIds) {
  HistoryReader reader(HistoryReader::Purpose::check);
  Messages messages{calling({"a"}), result("a")};
  reader.read(messages);
  const auto bytes = reader.bytes();
  EXPECT_GT(bytes, 0U);
  messages.push_back(calling({"a"}));
  reader.read(messages);
  EXPECT_EQ(reader.notes().at(0), "message 3, call \"a\": its id was used before");
}

TEST(HistoryReaderTest, OnlyAMenderKeepsMessages) {
  HistoryReader checker(HistoryReader::Purpose::check);
  HistoryReader mender(HistoryReader::Purpose::mend);
  const Messages messages{{Role::user, "u"}, result("z")};
  checker.read(messages);
  mender.read(messages);
  EXPECT_EQ(checker.notes(), mender.notes());
  EXPECT_TRUE(checker.take_mended().empty());
  EXPECT_EQ(mender.take_mended().size(), 1U);
  EXPECT_EQ(mender.take_lost_results().size(), 1U);
}

TEST(HistoryReaderTest, AResultThatComesAfterAnInterruptionIsPutBehindItsCall) {
  HistoryReader reader(HistoryReader::Purpose::mend);
  auto late = result("b");
  late.content = "B is down";
  reader.read(
      {{Role::user, "u"}, calling({"a", "b", "c"}), result("a"), {Role::user, "Hurry."}, late, {Role::user, "v"}});
  EXPECT_TRUE(reader.take_lost_results().empty());
  EXPECT_EQ(reader.notes().at(0), "message 2, call \"b\": its result came later, as message 5, and was put behind it");
  EXPECT_EQ(reader.notes().at(1), "message 2, call \"c\": it had no result");
  EXPECT_EQ(reader.take_put_in(), std::vector<std::size_t>{4});
  const auto mended = reader.take_mended();
  ASSERT_EQ(mended.size(), 7U);
  EXPECT_EQ(text_of(mended[3]), "B is down");
  EXPECT_EQ(mended[3].tool_call_id, "b");
  EXPECT_EQ(text_of(mended[4]), "no result: interrupted");
  EXPECT_EQ(text_of(mended[5]), "Hurry.");
}

TEST(HistoryReaderTest, ALateResultBelongsToOneCallOfItsAgent) {
  HistoryReader reader(HistoryReader::Purpose::mend);
  auto call = calling({"a"});
  call.agent = "first";
  auto others = result("a");
  others.agent = "second";
  auto late = result("a");
  late.agent = "first";
  auto another = calling({"b"});
  another.agent = "second";
  auto answer = result("b");
  answer.agent = "second";
  reader.read({{Role::user, "u"}, call, {Role::user, "v"}, another, answer, others, late, late});
  EXPECT_EQ(reader.take_lost_results().size(), 2U) << "another agent's, and one too many";
  EXPECT_TRUE(reader.take_put_in().empty());
  EXPECT_EQ(reader.take_mended().size(), 6U);
}

}  // namespace
}  // namespace ctxmgr
