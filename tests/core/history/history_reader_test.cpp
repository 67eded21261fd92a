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
  EXPECT_EQ(reader.notes().front(), "messages[3], call \"b\": it had no result");
}

TEST(HistoryReaderTest, WhatWasReadIsRememberedByItsIds) {
  HistoryReader reader(HistoryReader::Purpose::check);
  Messages messages{calling({"a"}), result("a")};
  reader.read(messages);
  const auto bytes = reader.bytes();
  EXPECT_GT(bytes, 0U);
  messages.push_back(calling({"a"}));
  reader.read(messages);
  EXPECT_EQ(reader.notes().at(0), "messages[2], call \"a\": its id was used before");
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

}  // namespace
}  // namespace ctxmgr
