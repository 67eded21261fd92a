#include <string>
#include <utility>
#include <vector>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using Strategy = ProcessingStrategy;

/// A plan of a model's, and the whole items that a layout would have sent in its place.
class RefillStageTest : public StagesFixture {
 protected:
  void planned(const std::vector<Strategy>& strategies) {
    make_by_hand();
    outcome_.source = PlanSource::llm;
    for (std::size_t i = 0; i < context_.artifacts.size(); ++i) {
      const auto& content = context_.artifacts[i].content;
      outcome_.decisions[i].artifact_id = context_.artifacts[i].artifact_id;
      outcome_.decisions[i].strategy = strategies[i];
      layout_.items[i] = view_of(ArtifactView::full, static_cast<std::int64_t>(content.size()), "");
      layout_.items[i]->text = content;
    }
  }

  /// Nothing of any item, as long as nothing else is said.
  std::vector<ProcessedText> left_out() { return std::vector<ProcessedText>(context_.artifacts.size()); }

  static ProcessedText text(Strategy strategy, const std::string& text) {
    return {strategy, text, static_cast<std::int64_t>(text.size()), false, {}};
  }

  /// What is filled in where the block has so much room besides what is in it.
  Filled refilled(std::vector<ProcessedText> texts, std::int64_t free) {
    auto filled = fill(input(), std::move(texts));
    const auto& block = filled.parts.block;
    layout_.block_tokens = free + (block.empty() ? 0 : prepared_->counter->count_message(render(block)));
    decisions_ = refill(input(), filled);
    return filled;
  }

  /// Excerpts of two messages before the question, of which the plan says so.
  void planned_older(Strategy strategy, double first_relevance, double second_relevance) {
    context_.conversation_history.push_back({Role::user, "first"});
    context_.conversation_history.push_back({Role::user, "second"});
    planned({});
    outcome_.older = std::make_unique<Artifact>();
    outcome_.older->artifact_id = "older";
    outcome_.items.emplace_back();
    outcome_.items[0].artifact = outcome_.older.get();
    outcome_.items[0].kind = ItemKind::older_messages;
    outcome_.decisions.resize(1);
    outcome_.decisions[0].artifact_id = "older";
    outcome_.decisions[0].strategy = strategy;
    for (const std::size_t message : {1, 2}) {
      auto piece = view_of(ArtifactView::extract, 30, "");
      piece.index = message;
      piece.text = message == 1 ? "user: first" : "user: second";
      piece.relevance = message == 1 ? first_relevance : second_relevance;
      layout_.older.push_back(std::move(piece));
    }
  }

  std::vector<ArtifactDecision> decisions_;
};

TEST_F(RefillStageTest, NothingIsFilledInOfNothing) {
  planned({});
  EXPECT_TRUE(refilled({}, 1'000).parts.block.empty());
  EXPECT_TRUE(decisions_.empty());
}

TEST_F(RefillStageTest, BesideWhatIsWholeThereIsNothingToFillIn) {
  for (const char* id : {"one", "two"}) attach(id, std::string(100, 'x'));
  planned({Strategy::include_full, Strategy::include_full});
  EXPECT_EQ(refilled(all_whole(), 1'000).parts.block.entries.size(), 2U);
  EXPECT_TRUE(decisions_.empty());
}

TEST_F(RefillStageTest, TheLayoutsOwnPlanIsNotFilledUp) {
  attach("one", std::string(100, 'x'));
  planned({Strategy::exclude});
  for (const auto source : {PlanSource::none, PlanSource::deterministic}) {
    outcome_.source = source;
    EXPECT_TRUE(refilled(left_out(), 1'000).parts.block.empty());
  }
  outcome_.source = PlanSource::llm;
  request_.planning.mode = PlannerMode::none;
  inputs_.reset();
  EXPECT_TRUE(refilled(left_out(), 1'000).parts.block.empty()) << "nor any without selection";
}

TEST_F(RefillStageTest, WhatAPlanLeavesOutIsWholeWhereItJustFits) {
  attach("one", std::string(200, 'x'));
  planned({Strategy::exclude});
  outcome_.items[0].header_tokens = 5;
  EXPECT_EQ(refilled(left_out(), 205).texts[0].strategy, Strategy::include_full);
  ASSERT_EQ(decisions_.size(), 1U);
  EXPECT_EQ(decisions_[0].strategy, Strategy::include_full);
  EXPECT_EQ(decisions_[0].target_tokens, 200);
  const auto less = refilled(left_out(), 204);
  EXPECT_NE(less.texts[0].strategy, Strategy::include_full);
  EXPECT_LE(less.texts[0].tokens, 199);
}

TEST_F(RefillStageTest, FewerThanSixteenTokensAreNotWorthIt) {
  attach("sixteen", std::string(16, 'x'));
  attach("fifteen", std::string(15, 'x'));
  planned({Strategy::exclude, Strategy::exclude});
  const auto filled = refilled(left_out(), 1'000);
  EXPECT_EQ(filled.texts[0].strategy, Strategy::include_full);
  EXPECT_EQ(filled.texts[1].strategy, Strategy::exclude);
  EXPECT_EQ(refilled(left_out(), 15).texts[0].strategy, Strategy::exclude);
}

TEST_F(RefillStageTest, TheMostRelevantComesFirstAndOfEqualOnesTheFirst) {
  for (const char* id : {"one", "two"}) attach(id, std::string(100, 'x'));
  planned({Strategy::exclude, Strategy::exclude});
  for (const auto& [relevance, first] : {std::pair(0.9, 1), std::pair(0.5, 0), std::pair(0.1, 0)}) {
    layout_.relevance = {0.5, relevance};
    const auto filled = refilled(left_out(), 110);
    ASSERT_EQ(filled.parts.block.entries.size(), 1U) << relevance;
    EXPECT_EQ(filled.parts.block.entries[0].item, static_cast<std::size_t>(first)) << relevance;
  }
}

TEST_F(RefillStageTest, WhatIsShownInPartGrowsBeforeWhatIsLeftOutReturns) {
  for (const char* id : {"out", "part"}) attach(id, std::string(100, 'x'));
  planned({Strategy::exclude, Strategy::rag_extract});
  layout_.relevance = {0.9, 0.1};
  auto texts = left_out();
  texts[1] = text(Strategy::rag_extract, std::string(20, 'x'));
  const auto filled = refilled(texts, 84);  // 4 of them stand between what is there and what is added.
  EXPECT_EQ(filled.texts[0].strategy, Strategy::exclude);
  EXPECT_EQ(filled.texts[1].strategy, Strategy::include_full);
  EXPECT_NE(refilled(texts, 83).texts[1].strategy, Strategy::include_full);
}

TEST_F(RefillStageTest, ASummaryKeepsItsPlaceAbovePassagesThatJustFit) {
  attach("one", std::string(500, 'x'));
  for (const auto source : {PlanSource::llm, PlanSource::kept, PlanSource::given}) {
    planned({Strategy::summarize});
    outcome_.source = source;
    layout_.items[0] = view_of(ArtifactView::extract, 40, "");
    layout_.items[0]->text = std::string(40, 'p');
    const auto filled = refilled({text(Strategy::summarize, "It is short.")}, 44);
    EXPECT_EQ(filled.texts[0].text, "It is short.\n\n" + std::string(40, 'p'));
    EXPECT_EQ(filled.parts.block.entries[0].text, filled.texts[0].text);
    EXPECT_EQ(filled.texts[0].tokens, 12 + 4 + 40);
    EXPECT_TRUE(decisions_.empty()) << "passages below summaries are in no plan";
    EXPECT_NE(refilled({text(Strategy::summarize, "It is short.")}, 43).texts[0].text, filled.texts[0].text);
  }
}

TEST_F(RefillStageTest, WhatAGivenPlanLeavesOutOrShortensStaysSo) {
  for (const char* id : {"out", "part"}) attach(id, std::string(100, 'x'));
  planned({Strategy::exclude, Strategy::rag_extract});
  outcome_.source = PlanSource::given;
  auto texts = left_out();
  texts[1] = text(Strategy::rag_extract, "part");
  const auto filled = refilled(texts, 1'000);
  ASSERT_EQ(filled.parts.block.entries.size(), 1U);
  EXPECT_EQ(filled.parts.block.entries[0].text, "part");
}

TEST_F(RefillStageTest, TheResultOfAStepReturnsToItsStep) {
  attach("result", std::string(100, 'x'));
  planned({Strategy::exclude});
  prepared_->gathered.step_artifacts.push_back(context_.artifacts[0]);
  prepared_->gathered.items[0].kind = outcome_.items[0].kind = ItemKind::step_result;
  outcome_.items[0].step_result = 0;
  const auto filled = refilled(left_out(), 100);
  EXPECT_TRUE(filled.parts.block.empty());
  EXPECT_EQ(filled.parts.step_results, std::vector<std::string>{std::string(100, 'x')});
}

TEST_F(RefillStageTest, ExcerptsOfEarlierTurnsReturnAsFarAsTheyJustFit) {
  planned_older(Strategy::exclude, 0.2, 0.9);
  EXPECT_EQ(refilled({}, 76).excerpts.size(), 2U);  // 30 each, and 8 for what stands around it.
  ASSERT_EQ(decisions_.size(), 1U);
  EXPECT_EQ(decisions_[0].artifact_id, "older");
  EXPECT_EQ(decisions_[0].target_tokens, 62);  // A line end each.
  const auto one = refilled({}, 75);
  ASSERT_EQ(one.excerpts.size(), 1U);
  EXPECT_EQ(one.excerpts[0].index, 2U);
  EXPECT_TRUE(refilled({}, 37).excerpts.empty());
}

TEST_F(RefillStageTest, OfExcerptsThatAreEquallyRelevantTheNewerStays) {
  planned_older(Strategy::exclude, 0.5, 0.5);
  const auto one = refilled({}, 75);
  ASSERT_EQ(one.excerpts.size(), 1U);
  EXPECT_EQ(one.excerpts[0].index, 2U);
}

TEST_F(RefillStageTest, EarlierTurnsThatAGivenPlanLeavesOutStayOut) {
  planned_older(Strategy::exclude, 0.2, 0.9);
  outcome_.source = PlanSource::given;
  EXPECT_TRUE(refilled({}, 1'000).excerpts.empty());
}

TEST_F(RefillStageTest, ASummaryOfEarlierTurnsStandsAboveTheirExcerpts) {
  planned_older(Strategy::summarize, 0.2, 0.9);
  const auto filled = refilled({text(Strategy::summarize, "They talked.")}, 76);
  ASSERT_EQ(filled.parts.block.entries.size(), 1U);
  EXPECT_EQ(filled.parts.block.entries[0].text, "They talked.\n\n[2] user: first\nuser: second\n");
  EXPECT_EQ(filled.excerpts.size(), 2U);
}

TEST(ReplaceDecisionsTest, OnlyArtifactsOfThePlanAreReplaced) {
  ArtifactPlan plan;
  plan.artifacts.resize(2);
  plan.artifacts[0].artifact_id = "a";
  plan.artifacts[1].artifact_id = "b";
  replace_decisions({}, plan);
  ArtifactDecision decision;
  decision.target_tokens = 7;
  for (const char* id : {"b", "c"}) {
    decision.artifact_id = id;
    replace_decisions({decision}, plan);
  }
  ASSERT_EQ(plan.artifacts.size(), 2U);
  EXPECT_EQ(plan.artifacts[0].target_tokens, ArtifactDecision().target_tokens);
  EXPECT_EQ(plan.artifacts[1].target_tokens, 7);
}

}  // namespace
}  // namespace ctxmgr::engine
