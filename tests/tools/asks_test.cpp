#include "asks.hpp"

#include <gtest/gtest.h>

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::Ask;
using ctxpack::flat;
using ctxpack::has_parts;

Ask asking(std::vector<std::string> parts, std::size_t within) {
  return {1, "value", "Which?", std::move(parts), within, {}, 9'000, 5'000};
}

TEST(AsksTest, EscapesOfJsonAndWhiteSpaceAreOneBlank) {
  EXPECT_EQ(flat(R"({\"a\":\n\t1})"), "{\"a\": 1}");
  EXPECT_EQ(flat("a \t\n\xC2\xA0\xE2\x80\xA8 b"), "a b");
  EXPECT_EQ(flat("\xC2\xA7 \xE2\x82\xAC"), "\xC2\xA7 \xE2\x82\xAC") << "signs that begin with the same bytes stay";
}

TEST(AsksTest, AllPartsStandNearTheLast) {
  const auto ask = asking({"rate", "0.25"}, 10);
  EXPECT_TRUE(has_parts(ask, "the rate: 0.25"));
  EXPECT_FALSE(has_parts(ask, "the rate of the second quarter: 0.25"));
  EXPECT_FALSE(has_parts(ask, "the rate"));
  EXPECT_TRUE(has_parts(ask, "0.25 of it; and the rate = 0.25")) << "any place of the last part";
}

TEST(AsksTest, NearIsCountedInCharacters) {
  EXPECT_TRUE(has_parts(asking({"rate", "0.25"}, 10), "rate \u00e9\u00e9\u00e9\u00e9 0.25"));
}

TEST(AsksTest, CountsWhereNoTailKeepsTheAnswerForCertain) {
  EXPECT_TRUE(ctxpack::counts(asking({"a"}, 0), 8'000));
  EXPECT_FALSE(ctxpack::counts(asking({"a"}, 0), 9'000)) << "the thread fits";
  auto recent = asking({"a"}, 0);
  recent.age = 4'000;
  EXPECT_FALSE(ctxpack::counts(recent, 8'000));
}

TEST(AsksTest, TheQuestionsRequestAndTheThreeAfterItAreAsked) {
  std::vector<ConversationMessage> messages{{Role::user, "task"}, {Role::user, "Which?"}};
  for (int i = 0; i < 6; ++i) messages.push_back({Role::assistant, "step"});
  const auto asked = ctxpack::asked_by_step({asking({"a"}, 0)}, messages, 8'000);
  ASSERT_EQ(asked.size(), 8U);
  EXPECT_TRUE(asked[2].at(0).is_first);
  EXPECT_FALSE(asked[3].at(0).is_first);
  EXPECT_EQ(asked[5].size(), 1U);
  EXPECT_TRUE(asked[6].empty());
}

}  // namespace
