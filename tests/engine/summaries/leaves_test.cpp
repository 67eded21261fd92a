#include "engine/summaries/leaves.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

TEST(LeavesTest, TogetherTheyAreTheTextAndEachFits) {
  const auto counter = make_approximate_token_counter();
  const auto text = words(9'000);
  const auto leaves = leaves_of(text, 2'000, *counter);
  std::string joined;
  for (const auto& leaf : leaves) {
    EXPECT_LE(counter->count(leaf), 2'000);
    joined += leaf;
  }
  EXPECT_EQ(joined, text);
  EXPECT_GT(leaves.size(), 4U);
}

TEST(LeavesTest, WhatIsAppendedChangesTheLastLeafAlone) {
  const auto counter = make_approximate_token_counter();
  const auto before = leaves_of(words(9'000), 2'000, *counter);
  const auto after = leaves_of(words(9'000) + words(3'000, "new"), 2'000, *counter);
  ASSERT_GT(after.size(), before.size());
  for (std::size_t i = 0; i + 1 < before.size(); ++i) EXPECT_EQ(after[i], before[i]);
}

TEST(LeavesTest, ASmallWindowMakesSmallLeavesAndShorterSummaries) {
  EXPECT_EQ(leaf_tokens(usable_tokens(128'000)), 20'000);
  EXPECT_EQ(leaf_tokens(usable_tokens(8'000)), 6'000);
  EXPECT_EQ(leaf_summary_tokens(usable_tokens(8'000)), 750);
  EXPECT_EQ(leaf_summary_tokens(usable_tokens(128'000)), 2'400);
}

}  // namespace
}  // namespace ctxmgr::engine
