#include "engine/build/compaction.hpp"

#include <string>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class CompactionTest : public StagesFixture {
 protected:
  CompactionTest() { request_.history.notes_share = 0; }

  void work(int steps, const std::string& result) {
    for (int i = 0; i < steps; ++i) {
      const auto id = "c" + std::to_string(context_.conversation_history.size());
      context_.conversation_history.push_back(testing::tool_call(id));
      context_.conversation_history.push_back(testing::tool_result(id, id + " " + result));
    }
  }

  GrowthTerms terms(std::int64_t room) {
    if (!prepared_) make_by_hand(room);
    prepared_->room = prepared_->total_room = prepared_->budget.max_input = room;
    prepared_->fixed.tokens = 0;
    pace_.emplace(inputs().call, *options_.clock);
    growth_.emplace(LayoutInput{inputs(), *prepared_, *analyses_.thread, *pace_});
    return growth_terms(*growth_, true, 0);
  }

  std::size_t all() const { return context_.conversation_history.size(); }

  std::optional<Pace> pace_;
  std::optional<LayoutInput> growth_;
};

TEST_F(CompactionTest, WhatFitsInTheTargetIsNotCut) {
  work(4, std::string(100, 'x'));
  const auto now = compact(terms(100'000), {}, all(), "asked");
  EXPECT_EQ(now.cut, 0U);
  EXPECT_EQ(now.compacted_at, all());
  ASSERT_TRUE(now.compaction);
  EXPECT_EQ(now.compaction->reason, "asked");
  EXPECT_EQ(now.compaction->tokens_after, now.compaction->tokens_before);
}

TEST_F(CompactionTest, TheOldestGroupsGoUntilTheRestJustFits) {
  request_.history.target_fill = 0.5;
  work(4, std::string(100, 'x'));
  const auto wide = terms(100'000);
  // Behind the first step three are left: they are the target, or one token more than it.
  const auto three = wide.sizes.between(3, all());
  for (const std::int64_t less : {0, 2}) {
    const auto within = terms(2 * three - less);
    const auto now = compact(within, {}, all(), "full");
    EXPECT_EQ(now.cut, less == 0 ? 3U : 5U);
    EXPECT_LE(standing(within, now, all()), three);
  }
}

TEST_F(CompactionTest, TheNewestStepStaysAndItsResultIsShortened) {
  work(3, std::string(2'000, 'x'));
  const auto within = terms(1'000);
  const auto now = compact(within, {}, all(), "full");
  EXPECT_EQ(now.cut, 5U);
  EXPECT_LE(standing(within, now, all()), within.limit);
}

TEST_F(CompactionTest, AThreadThatIsPinnedWholeLosesNothing) {
  work(3, std::string(2'000, 'x'));
  for (auto& message : context_.conversation_history) message.retention = Retention::pinned;
  const auto within = terms(1'000);
  const auto now = compact(within, {}, all(), "full");
  ASSERT_TRUE(now.compaction);
  EXPECT_TRUE(now.compaction->messages.empty());
  EXPECT_TRUE(now.extracts.empty());
}

TEST_F(CompactionTest, EvidenceSurvivesOneCompaction) {
  const auto within = terms(10'000);
  GrownThread before;
  before.evidence.push_back({{}, {}, 10});
  const auto once = compact(within, before, all(), "full");
  ASSERT_EQ(once.evidence.size(), 1U);
  EXPECT_EQ(once.evidence[0].made.compactions, 1U);
  EXPECT_TRUE(compact(within, once, all(), "full").evidence.empty());
}

TEST_F(CompactionTest, ACompactionThatIsFoundAgainIsNotReported) {
  GrownThread before;
  before.set_aside = 5;
  const auto now = compact(terms(10'000), before, all(), "full");
  EXPECT_FALSE(now.compaction);
  EXPECT_EQ(now.set_aside, 5);
}

TEST_F(CompactionTest, WhatStoodBeforeIsLeftAsItWas) {
  work(3, std::string(2'000, 'x'));
  const auto within = terms(1'000);
  GrownThread before;
  before.host_text = "said";
  before.documents = 900;
  const auto now = compact(within, before, all(), "full");
  EXPECT_EQ(before.host_text, "said");
  EXPECT_EQ(before.documents, 900);
  EXPECT_TRUE(now.host_text.empty());
  EXPECT_LE(now.documents, 500);
}

}  // namespace
}  // namespace ctxmgr::engine
