#include "engine/build/grown_thread.hpp"

#include <string>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

/// A question, and two steps of an agent that follow it.
class GrownThreadTest : public StagesFixture {
 protected:
  void work(const std::string& result) {
    const auto id = "c" + std::to_string(context_.conversation_history.size());
    context_.conversation_history.push_back(testing::tool_call(id));
    context_.conversation_history.push_back(testing::tool_result(id, result));
  }

  GrowthTerms terms(std::int64_t room) {
    make_by_hand(room);
    prepared_->total_room = room;
    prepared_->fixed.tokens = 0;
    input_.emplace(layout_input());
    return growth_terms(*input_, true, 0);
  }

  std::optional<LayoutInput> input_;
};

TEST_F(GrownThreadTest, AThreadOfAQuestionAloneStandsForTheQuestion) {
  const auto within = terms(1'000);
  EXPECT_EQ(within.limit, 1'000);
  EXPECT_EQ(standing(within, {}, 1), within.thread().tokens_of(0));
  EXPECT_EQ(standing(within, {}, 0), 0);
  EXPECT_FALSE(hides_anything({}));
  EXPECT_EQ(newest_step(within, 0), 0U);
  EXPECT_EQ(newest_step(within, 1), 0U);
}

TEST_F(GrownThreadTest, AResultCountsWholeWhereItJustFitsInItsShareAndElseAsItsExtractIsSent) {
  work(std::string(300, 'x'));
  auto within = terms(10'000);
  const auto whole = within.thread().tokens_of(2);
  EXPECT_TRUE(within.sizes.is_result(2));
  EXPECT_FALSE(within.sizes.is_result(0));
  EXPECT_FALSE(within.sizes.is_result(1));
  for (const std::int64_t less : {0, 1}) {
    // Two fifths of the room, in whole tokens.
    const auto room = (whole - less) * 5 / 2 + 1;
    prepared_->total_room = room;
    const auto limited = growth_terms(*input_, true, 0);
    EXPECT_EQ(limited.sizes.most_of_result(2), whole - less);
    const auto sent = less == 0 ? whole : prepared_->views->extracted(2, whole - less).tokens;
    EXPECT_LE(sent, whole - less);
    EXPECT_EQ(limited.sizes.between(1, 3), within.thread().tokens_of(1) + sent);
  }
}

TEST_F(GrownThreadTest, WhatStandsIsTheSumOfWhatIsSent) {
  work("one");
  work("two");
  const auto within = terms(10'000);
  const auto all = within.sizes.between(0, 5);
  GrownThread thread;
  EXPECT_EQ(standing(within, thread, 5), all);
  EXPECT_EQ(standing(within, thread, 3), within.sizes.between(0, 3));
  thread.documents = 100;
  thread.head.notes = 20;
  thread.evidence.push_back({{}, {}, 7});
  EXPECT_EQ(standing(within, thread, 5), all + 127);
  thread.set_aside = 50;  // In place of the evidence.
  EXPECT_EQ(standing(within, thread, 5), all + 170);
}

TEST_F(GrownThreadTest, AnExtractTakesAwayWhatItLeavesOut) {
  work("a line\n" + std::string(300, 'x') + "\nanother line");
  const auto within = terms(10'000);
  GrownThread thread;
  thread.extracts[2] = 100;
  const auto sent = prepared_->views->extracted(2, 100).tokens;
  EXPECT_LT(sent, 100);
  EXPECT_EQ(tokens_between(within, thread, 0, 3), within.sizes.between(0, 3) - within.thread().tokens_of(2) + sent);
  EXPECT_EQ(tokens_between(within, thread, 0, 1), within.sizes.between(0, 1));
  EXPECT_TRUE(hides_anything(thread));
}

TEST_F(GrownThreadTest, TheNewestStepBeginsWithTheLastWordOfTheAssistant) {
  work("one");
  work("two");
  const auto within = terms(10'000);
  EXPECT_EQ(newest_step(within, 5), 3U);
  EXPECT_EQ(newest_step(within, 3), 1U);
}

TEST_F(GrownThreadTest, APinnedThreadCountsNothingInIt) {
  work("one");
  for (auto& message : context_.conversation_history) message.retention = Retention::pinned;
  const auto within = terms(10'000);
  EXPECT_EQ(standing(within, {}, 3), 0);
}

TEST_F(GrownThreadTest, GroupsThatTheHostKeepsCountWhole) {
  work("one");
  work("two");
  const auto within = terms(10'000);
  const auto kept = with_kept(within, {}, {1});
  EXPECT_EQ(kept.kept_tokens, within.thread().tokens_of(1) + within.thread().tokens_of(2));
  EXPECT_EQ(with_kept(within, kept, {}).kept_tokens, 0);
}

TEST_F(GrownThreadTest, TheHostsTextStandsBehindTheNotes) {
  const auto within = terms(10'000);
  GrownThread thread;
  EXPECT_TRUE(with_behind(within, thread).behind.empty());
  thread.host_text = "remember this";
  const auto told = with_behind(within, thread);
  ASSERT_EQ(told.behind.size(), 1U);
  EXPECT_EQ(told.behind_tokens, within.counter().count_message(told.behind[0]));
  EXPECT_EQ(with_behind(within, told).behind.size(), 1U);
}

}  // namespace
}  // namespace ctxmgr::engine
