#include <string>
#include <utility>
#include <vector>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using Strategy = ProcessingStrategy;

/// What a plan places, and what the allocation does with the room that it leaves.
class FillStageTest : public StagesFixture {
 protected:
  FillStageTest() { context_.conversation_history = {{Role::user, "When does the zebra eat?"}}; }

  void attach_pages(const std::vector<std::string>& ids) {
    for (const auto& id : ids) attach(id, "The zebra of " + id + " eats at noon.\n" + filler(id));
  }

  static std::string filler(const std::string& id) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "Line " + std::to_string(i) + " of " + id + " is about gates and hay.\n";
    return text;
  }

  /// One decision for each artifact; open ones look for the question.
  void planned(const std::vector<Strategy>& strategies) {
    make_by_hand();
    prepared_->overhead_tokens = block_overhead_tokens(*prepared_->counter);
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      prepared_->gathered.items[i].header = header_of(context_.artifacts[i], Strategy::rag_extract);
      outcome_.decisions[i].artifact_id = context_.artifacts[i].artifact_id;
      outcome_.decisions[i].strategy = strategies[i];
      outcome_.decisions[i].extraction_query = "When does the zebra eat?";
    }
  }

  std::vector<ProcessedText> left_out() { return std::vector<ProcessedText>(context_.artifacts.size()); }

  static ProcessedText summary(const std::string& text) {
    return {Strategy::summarize, text, static_cast<std::int64_t>(text.size()), false, {}};
  }

  Filled filled_within(std::int64_t tokens, std::vector<ProcessedText> texts) {
    layout_.block_tokens = tokens;
    return fill(input(), std::move(texts));
  }

  std::int64_t block_tokens(const Filled& filled) {
    return filled.parts.block.empty() ? 0 : prepared_->counter->count_message(render(filled.parts.block));
  }
};

TEST_F(FillStageTest, WhatIsPlacedLeavesItsRoomToPassagesOfWhatIsOpen) {
  attach_pages({"placed", "open", "out"});
  planned({Strategy::include_full, Strategy::rag_extract, Strategy::exclude});
  auto texts = all_whole();
  texts[1] = texts[2] = {};
  for (const std::int64_t room : {1'300, 1'400, 1'500}) {
    const auto filled = filled_within(room, texts);
    EXPECT_EQ(filled.texts[0].text, context_.artifacts[0].content);
    EXPECT_EQ(filled.texts[1].strategy, Strategy::rag_extract) << room;
    EXPECT_TRUE(contains(filled.texts[1].text, "zebra of open eats at noon")) << room;
    EXPECT_EQ(filled.texts[2].strategy, Strategy::exclude) << "what a plan leaves out stays out";
    EXPECT_LE(block_tokens(filled), room);
  }
  EXPECT_EQ(filled_within(5'000, texts).texts[1].strategy, Strategy::include_full);
}

TEST_F(FillStageTest, WithoutRoomWhatIsOpenIsLeftOutAndSaysWhy) {
  attach_pages({"placed", "open"});
  planned({Strategy::include_full, Strategy::rag_extract});
  const auto filled = filled_within(900, with_excluded(1));
  EXPECT_EQ(filled.texts[1].strategy, Strategy::exclude);
  EXPECT_EQ(filled.texts[1].reason, "less relevant than what took the room");
}

TEST_F(FillStageTest, ASummaryKeepsItsPlaceAbovePassages) {
  attach_pages({"one"});
  planned({Strategy::summarize});
  const auto filled = filled_within(400, {summary("It is about hay.")});
  ASSERT_EQ(filled.parts.block.entries.size(), 1U);
  EXPECT_EQ(filled.texts[0].strategy, Strategy::summarize);
  EXPECT_EQ(filled.texts[0].text.rfind("It is about hay.\n\n", 0), 0U);
  EXPECT_TRUE(contains(filled.texts[0].text, "eats at noon"));
  EXPECT_EQ(filled.parts.block.entries[0].text, filled.texts[0].text);
  EXPECT_LE(block_tokens(filled), 400);
}

TEST_F(FillStageTest, WhereASummaryFailsTheAllocationExtracts) {
  attach_pages({"one", "two"});
  planned({Strategy::summarize, Strategy::summarize});
  auto texts = left_out();
  texts[0] = {Strategy::rag_extract, "Line 0 of one", 13, false, "extracted: no summary in time"};
  texts[1] = summary("It is about hay.");
  const auto filled = filled_within(600, texts);
  EXPECT_EQ(filled.texts[0].strategy, Strategy::rag_extract);
  EXPECT_TRUE(contains(filled.texts[0].text, "eats at noon"));
  EXPECT_EQ(filled.texts[0].reason, "extracted: no summary in time");
  EXPECT_TRUE(contains(filled.texts[1].text, "eats at noon"));
}

TEST_F(FillStageTest, AQueryOfItsOwnFindsInItsArtifactWhatTheQuestionDoesNotAskFor) {
  attach_pages({"one", "two"});
  context_.artifacts[1].content += "The okapi sleeps at dusk.\n";
  planned({Strategy::rag_extract, Strategy::rag_extract});
  outcome_.decisions[1].extraction_query = "Who sleeps at dusk?\nWhen does the zebra eat?";
  const auto filled = filled_within(400, left_out());
  EXPECT_TRUE(contains(filled.texts[0].text, "zebra of one eats"));
  EXPECT_TRUE(contains(filled.texts[1].text, "okapi sleeps at dusk"));
}

TEST_F(FillStageTest, WhatAPlanRanksFirstIsWorthMore) {
  attach_pages({"one", "two"});
  planned({Strategy::rag_extract, Strategy::rag_extract});
  for (const std::size_t first : {0, 1}) {
    outcome_.decisions[first].priority = 1;
    outcome_.decisions[1 - first].priority = 2;
    const auto filled = filled_within(prepared_->overhead_tokens + 70, left_out());
    EXPECT_TRUE(contains(filled.texts[first].text, "eats at noon")) << first;
    EXPECT_EQ(filled.texts[1 - first].strategy, Strategy::exclude) << first;
  }
}

TEST_F(FillStageTest, UntrustedTextWaitsForTrustedTextOfItsRelevanceWhateverItsQuery) {
  attach_pages({"page", "policy"});
  context_.artifacts[1].trust = Trust::trusted;
  planned({Strategy::rag_extract, Strategy::rag_extract});
  outcome_.decisions[0].extraction_query = "gates and hay\nWhen does the zebra eat?";
  const auto filled = filled_within(1'000, left_out());
  EXPECT_LE(filled.texts[0].tokens, 600);
  EXPECT_GT(filled.texts[1].tokens, filled.texts[0].tokens);
}

TEST_F(FillStageTest, TheResultOfAStepReturnsToItsStep) {
  attach_pages({"result"});
  planned({Strategy::rag_extract});
  prepared_->gathered.step_artifacts.push_back(context_.artifacts[0]);
  prepared_->gathered.items[0].kind = outcome_.items[0].kind = ItemKind::step_result;
  prepared_->gathered.items[0].step_result = outcome_.items[0].step_result = 0;
  const auto filled = filled_within(400, left_out());
  EXPECT_TRUE(filled.parts.block.empty());
  EXPECT_TRUE(contains(filled.parts.step_results[0], "eats at noon"));
}

TEST_F(FillStageTest, ASummaryOfEarlierTurnsStandsAboveTheirExcerptsAndGoesLast) {
  for (const char* text : {"The zebra eats hay.", "The zebra eats at noon.", "When does the zebra eat?"})
    context_.conversation_history.push_back({Role::user, text});
  make_by_hand_asked_last();
  layout_.suffix.cut = 3;
  outcome_.older = std::make_unique<Artifact>();
  outcome_.older->artifact_id = "older";
  outcome_.items.emplace_back();
  outcome_.items[0].artifact = outcome_.older.get();
  outcome_.items[0].kind = ItemKind::older_messages;
  outcome_.decisions.resize(1);
  outcome_.decisions[0].strategy = Strategy::summarize;
  auto filled = filled_within(1'000, {summary("They talked.")});
  ASSERT_EQ(filled.parts.block.entries.size(), 1U);
  const auto text = filled.parts.block.entries[0].text;
  EXPECT_EQ(text.rfind("They talked.\n\n", 0), 0U) << text;
  EXPECT_TRUE(contains(text, "eats at noon"));
  const auto smaller = smaller_entry(input(), filled.parts.block.entries[0], 1'000, filled);
  ASSERT_TRUE(smaller);
  EXPECT_EQ(smaller->text, "They talked.");
  EXPECT_FALSE(smaller_entry(input(), *smaller, 1, filled));
}

}  // namespace
}  // namespace ctxmgr::engine
