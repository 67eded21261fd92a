#include "engine/history/thread_evidence.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

const std::vector<ConversationMessage> history{{Role::user, "alpha beta\ngamma delta"}, {Role::assistant, "é"}};

TEST(ThreadEvidenceTest, RangesAreTextsWithMarksWhereSomethingIsLeftOut) {
  // "user: alpha beta\ngamma delta"
  const auto texts = texts_of({1, 0, {{0, {{12, 4}, {23, 5}}}}}, history);
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->front().text, "user: … beta\n…\ndelta");
  EXPECT_EQ(texts->front().index, 0U);
  EXPECT_EQ(texts_of({1, 0, {{0, {{0, 28}}}}}, history)->front().text, "user: alpha beta\ngamma delta");
}

TEST(ThreadEvidenceTest, RangesThatNoBuildWritesAreRefused) {
  for (const TextSpan range : {TextSpan{27, 2}, TextSpan{100, 1}})
    EXPECT_FALSE(texts_of({1, 0, {{0, {range}}}}, history)) << range.offset;
  EXPECT_FALSE(texts_of({1, 0, {{0, {{12, 4}, {10, 3}}}}}, history));
  EXPECT_FALSE(texts_of({1, 0, {{2, {{0, 1}}}}}, history));
  EXPECT_FALSE(texts_of({1, 0, {{1, {{12, 1}}}}}, history)) << "half of a character";
}

TEST(ThreadEvidenceTest, RangesAreCounted) {
  EXPECT_EQ(ranges_of({{1, 0, {{0, {{12, 4}, {23, 5}}}}}, {1, 0, {}}}), 2U);
}

}  // namespace
}  // namespace ctxmgr::engine
