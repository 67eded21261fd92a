#include "engine/history/compaction.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

class CompactionTest : public ::testing::Test {
 protected:
  void say(Role role, std::size_t count) { history_.push_back({role, words(count)}); }
  void work(const std::string& id, std::size_t count) {
    history_.push_back(testing::tool_call(id));
    history_.push_back(testing::tool_result(id, words(count)));
  }
  SuffixPlanner& planner() {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    views_ = std::make_unique<ToolResultViews>(history_, thread_, retriever_, *counter_, nullptr);
    planner_ = std::make_unique<SuffixPlanner>(thread_, std::optional<std::size_t>(0), *views_);
    return *planner_;
  }
  static CompactionRoom room(std::int64_t tokens, bool masks) {
    CompactionRoom room;
    room.room = tokens;
    room.target = tokens / 2;
    room.masks = masks;
    room.beside = [](std::size_t, std::size_t) { return std::int64_t{0}; };
    return room;
  }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  Retriever retriever_;
  ThreadAnalysis thread_;
  std::unique_ptr<ToolResultViews> views_;
  std::unique_ptr<SuffixPlanner> planner_;
};

TEST_F(CompactionTest, MasksOldResultsUntilTheTargetIsReachedAndNoFurther) {
  say(Role::user, 5);
  for (int i = 0; i < 8; ++i) work("c" + std::to_string(i), 200);
  auto& all = planner();
  const auto before = all.everything();
  const auto after = compact(before, room(before.tokens * 10 / 9, true), thread_, all);
  EXPECT_EQ(after.cut, 0U);
  EXPECT_LE(after.tokens, before.tokens * 5 / 9);
  EXPECT_GT(after.mask_before, 0U);
  // One mask less would not do.
  const auto fewer = all.again({0, after.mask_before - 2, after.mask_from});
  EXPECT_GT(fewer.tokens, before.tokens * 5 / 9);
}

TEST_F(CompactionTest, CutsOldestGroupsWhereMasksAreNotEnough) {
  say(Role::user, 5);
  for (int i = 0; i < 40; ++i) {
    work("c" + std::to_string(i), 60);  // not worth a mask
    say(Role::assistant, 60);
  }
  auto& all = planner();
  const auto before = all.everything();
  const auto after = compact(before, room(before.tokens, true), thread_, all);
  EXPECT_GT(after.cut, 0U);
  EXPECT_LE(after.tokens, before.tokens / 2);
  EXPECT_EQ(after.tokens, all.again(after).tokens);
}

TEST_F(CompactionTest, TheNewestGroupStaysAtWorstAsExtracts) {
  say(Role::user, 5);
  work("a", 100);
  work("b", 4'000);
  auto& all = planner();
  const auto after = compact(all.everything(), room(1'000, true), thread_, all);
  EXPECT_EQ(after.cut, 3U);
  EXPECT_EQ(after.extracts.count(4), 1U);
  EXPECT_LE(after.tokens, 560);
}

TEST_F(CompactionTest, WhatStandsBesideTheHistoryCountsAgainstTheTarget) {
  say(Role::user, 5);
  for (int i = 0; i < 30; ++i) say(Role::assistant, 40);
  auto& all = planner();
  const auto whole = all.everything();
  auto alone = room(whole.tokens, false);
  const auto without = compact(whole, alone, thread_, all);
  alone.beside = [](std::size_t cut, std::size_t) { return cut > 0 ? std::int64_t{300} : 0; };
  const auto with = compact(whole, alone, thread_, all);
  EXPECT_LE(with.tokens + 300, whole.tokens / 2);
  EXPECT_GT(with.cut, without.cut);
}

TEST_F(CompactionTest, TheSmallestResultsKeepTheirTextAsFarAsTheTargetHasRoom) {
  say(Role::user, 5);
  work("small", 150);
  for (int i = 0; i < 3; ++i) work("large" + std::to_string(i), 1'500);
  work("newest", 10);
  auto& all = planner();
  const auto whole = all.everything();
  const auto large = thread_.tokens_of(4);
  auto fits = room(whole.tokens, true);
  fits.target = whole.tokens - large + 60;  // one large result has to go
  const auto after = compact(whole, fits, thread_, all);
  EXPECT_LE(after.tokens, fits.target);
  EXPECT_FALSE(all.is_masked(2, after));
  EXPECT_TRUE(all.is_masked(4, after));
  EXPECT_EQ(after.tokens, all.again(after).tokens);
}

TEST_F(CompactionTest, NothingThatWasCutComesBack) {
  say(Role::user, 5);
  for (int i = 0; i < 20; ++i) work("c" + std::to_string(i), 200);
  auto& all = planner();
  const auto before = all.again({11, 21});
  const auto after = compact(before, room(before.tokens, true), thread_, all);
  EXPECT_GE(after.cut, 11U);
  EXPECT_GE(after.mask_before, 21U);
}

}  // namespace
}  // namespace ctxmgr::engine
