#include <string>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

/// The edges of each way of sharing the room. Rooms below 4 096 tokens do not grow.
class LayoutStageTest : public StagesFixture {
 protected:
  void say(Role role, std::size_t bytes) { context_.conversation_history.push_back({role, std::string(bytes, 'x')}); }

  void work(std::size_t bytes) {
    const auto id = "c" + std::to_string(context_.conversation_history.size());
    context_.conversation_history.push_back(testing::tool_call(id));
    context_.conversation_history.push_back(testing::tool_result(id, std::string(bytes, 'x')));
  }

  /// What these last messages before the question count.
  std::int64_t newest(std::size_t count) {
    std::int64_t tokens = 0;
    for (auto i = context_.conversation_history.size() - 1 - count; i + 1 < context_.conversation_history.size(); ++i)
      tokens += prepared_->thread().tokens_of(i);
    return tokens;
  }

  void expect_within(const Layout& layout, std::int64_t room) {
    EXPECT_LE(layout.suffix.tokens + layout.head.tokens + layout.block_tokens, room) << room;
  }
};

TEST_F(LayoutStageTest, ItGrowsWithStepsThatFollowTheQuestionWhereThereIsRoomToGrow) {
  work(5);
  make_by_hand();
  EXPECT_TRUE(layout_in(4'096).grows);
  EXPECT_FALSE(layout_in(4'095).grows);
  EXPECT_TRUE(layout_in(4'095).everything);
}

TEST_F(LayoutStageTest, AGrowingThreadIsCompactedFromOneTokenTooManyOn) {
  for (int i = 0; i < 20; ++i) work(250);
  make_by_hand();
  // A growing thread counts its question too.
  const auto all = prepared_->suffixes->everything().tokens + prepared_->thread().tokens_of(0);
  ASSERT_GT(all, 4'096);
  const auto just = layout_in(all);
  EXPECT_TRUE(just.grows && just.everything);
  EXPECT_EQ(just.compacted_at, 0U);
  const auto less = layout_in(all - 1);
  EXPECT_TRUE(less.grows);
  EXPECT_FALSE(less.everything);
  EXPECT_EQ(less.compacted_at, context_.conversation_history.size());
  EXPECT_GT(less.suffix.cut, 0U);
  expect_within(less, all - 1);
}

TEST_F(LayoutStageTest, NothingOfAGrowingThreadIsCutThatIsPinned) {
  for (int i = 0; i < 20; ++i) work(250);
  for (auto& message : context_.conversation_history) message.retention = Retention::pinned;
  make_by_hand();
  const auto layout = layout_in(4'096);
  EXPECT_TRUE(layout.grows && layout.everything);
  EXPECT_EQ(layout.suffix.tokens, 0);
}

TEST_F(LayoutStageTest, StepsInASmallRoomAreWholeWhereTheyJustFit) {
  for (int i = 0; i < 3; ++i) work(200);
  make_by_hand();
  const auto all = prepared_->suffixes->everything().tokens;
  const auto just = layout_in(all);
  EXPECT_TRUE(just.everything);
  EXPECT_EQ(just.suffix.tokens, all);
  const auto less = layout_in(all - 1);
  EXPECT_FALSE(less.grows);
  EXPECT_FALSE(less.everything);
  expect_within(less, all - 1);
}

TEST_F(LayoutStageTest, ItKeepsTheNewestResultOfStepsInASmallRoom) {
  for (int i = 0; i < 3; ++i) work(200);
  make_by_hand();
  const auto layout = layout_in(500);
  EXPECT_FALSE(layout.grows);
  EXPECT_FALSE(layout.everything);
  EXPECT_EQ(layout.suffix.cut, 5U);
  expect_within(layout, 500);
}

TEST_F(LayoutStageTest, TheNewestResultIsWholeWhereItJustFits) {
  for (int i = 0; i < 2; ++i) work(400);
  make_by_hand();
  const auto group = prepared_->thread().tokens_of(3) + prepared_->thread().tokens_of(4);
  const auto just = layout_in(group);
  EXPECT_EQ(just.suffix.cut, 3U);
  EXPECT_EQ(just.suffix.tokens, group);
  EXPECT_TRUE(just.suffix.extracts.empty());
  const auto less = layout_in(group - 1);
  EXPECT_EQ(less.suffix.extracts.count(4), 1U);
  expect_within(less, group - 1);
}

TEST_F(LayoutStageTest, StepsWithoutAnyRoomLeaveNothing) {
  work(200);
  make_by_hand();
  const auto layout = layout_in(0);
  EXPECT_EQ(layout.suffix.tokens, 0);
  EXPECT_EQ(layout.block_tokens, 0);
}

TEST_F(LayoutStageTest, ASingleQuestionHasAllOfItsThreadWhereItJustFits) {
  for (int i = 0; i < 3; ++i) {
    say(Role::assistant, 200);
    say(Role::user, 8);
  }
  make_by_hand_asked_last();
  const auto all = prepared_->suffixes->everything().tokens;
  EXPECT_TRUE(layout_in(all).everything);
  const auto less = layout_in(all - 1);
  EXPECT_FALSE(less.everything);
  EXPECT_GT(less.suffix.cut, 0U);
  expect_within(less, all - 1);
}

TEST_F(LayoutStageTest, ASingleQuestionSharesTheRoomBetweenTurnsAndBlock) {
  for (int i = 0; i < 6; ++i) {
    say(Role::assistant, 200);
    say(Role::user, 8);
  }
  make_by_hand_asked_last();
  for (const std::int64_t room : {0, 1, 400, 900}) {
    const auto layout = layout_in(room);
    EXPECT_FALSE(layout.grows);
    EXPECT_FALSE(layout.everything);
    expect_within(layout, room);
  }
}

TEST_F(LayoutStageTest, AQuestionThatSaysWhatItAsksHasMorePassagesAndFewerNewestTurnsThanOneThatRefersBack) {
  const auto newest_turns_of = [this](const std::string& question) {
    context_.conversation_history.clear();
    for (int i = 0; i < 30; ++i)
      context_.conversation_history.push_back({i % 2 == 0 ? Role::user : Role::assistant,
                                               "In port " + std::to_string(i) + " the harbour fee is due in spring."});
    for (int i = 0; i < 10; ++i)
      context_.conversation_history.push_back({i % 2 == 0 ? Role::user : Role::assistant,
                                               "Heron " + std::to_string(i) + " stands in the reeds all day long."});
    context_.conversation_history.push_back({Role::user, question});
    make_by_hand_asked_last();
    return layout_in(900).suffix.tokens;
  };
  EXPECT_LT(newest_turns_of("In which port is the harbour fee due in spring?"), 120);
  EXPECT_GT(newest_turns_of("And what about that?"), 120);
}

TEST_F(LayoutStageTest, WithoutSelectionASingleQuestionTakesTheTurnsThatJustFit) {
  request_.planning.mode = PlannerMode::none;
  for (int i = 0; i < 6; ++i) {
    say(Role::user, 100);
    say(Role::assistant, 100);
  }
  say(Role::user, 8);
  make_by_hand_asked_last();
  const auto all = context_.conversation_history.size();
  const auto just = layout_in(newest(4));
  EXPECT_EQ(just.suffix.cut, all - 5);
  EXPECT_EQ(just.suffix.tokens, newest(4));
  EXPECT_GT(layout_in(newest(4) - 1).suffix.cut, all - 5);
}

TEST_F(LayoutStageTest, ADocumentIsWholeWhereItJustFitsInTheBlockOfASingleQuestion) {
  request_.history.evidence_share = 0;
  say(Role::user, 500);
  context_.conversation_history.push_back({Role::user, "What is the answer?"});
  attach("one", "The answer is a heron. " + std::string(77, 'y'));
  make_by_hand_asked_last();
  prepared_->gathered.items[0].header = "doc";
  prepared_->gathered.items[0].header_tokens = 6;  // With the line ends around it.
  prepared_->overhead_tokens = 20;
  prepared_->index_tokens = 10;
  const auto just = layout_in(136);
  EXPECT_FALSE(just.everything);
  ASSERT_TRUE(just.items[0]);
  EXPECT_EQ(just.items[0]->view, ArtifactView::full);
  const auto less = layout_in(135);
  EXPECT_TRUE(!less.items[0] || less.items[0]->view != ArtifactView::full);
  expect_within(less, 135);
}

TEST_F(LayoutStageTest, OfTwoDocumentsThatSayTheSameTheNewerIsTaken) {
  request_.history.evidence_share = 0;
  say(Role::user, 500);
  context_.conversation_history.push_back({Role::user, "What is the answer?"});
  for (const char* id : {"one", "two"}) attach(id, "The answer is a heron. " + std::string(77, 'y'));
  make_by_hand_asked_last();
  const auto layout = layout_in(150);
  EXPECT_FALSE(layout.items[0]);
  EXPECT_TRUE(layout.items[1]);
  EXPECT_EQ(layout.repeats, std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace ctxmgr::engine
