// The stages as what they are, functions of values: each is called with values that are made by hand. A token is a byte here,
// so that the edges of a budget can be named.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/build/archive.hpp"
#include "engine/build/evidence.hpp"
#include "engine/build/layout.hpp"
#include "engine/build/plan.hpp"
#include "engine/build/receipt.hpp"
#include "engine/build/remember.hpp"
#include "engine/build/verify.hpp"
#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using StagesTest = StagesFixture;

TEST_F(StagesTest, PrepareRefusesAContextThatSaysNothing) {
  context_.conversation_history.clear();
  const auto prepared = prepared_by_stage();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, ErrorCode::invalid_argument);
}

TEST_F(StagesTest, PrepareFindsNoQuestionInAContextOfDocuments) {
  context_.conversation_history.clear();
  attach("one", "text");
  request_.budget.max_input_tokens = 100;
  const auto prepared = prepared_by_stage();
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->gathered.items.size(), 1U);
  EXPECT_FALSE(prepared->gathered.question);
  EXPECT_EQ(prepared->fixed.tokens, prepared->counter->reply_priming_tokens());
  EXPECT_EQ(prepared->room, 100 - prepared->counter->reply_priming_tokens());
}

TEST_F(StagesTest, PrepareTakesABudgetThatJustHoldsTheFixedParts) {
  make_by_hand();
  const auto fixed = prepared_->fixed.tokens;
  request_.history.oversized = Oversized::fail;
  for (const std::int64_t less : {0, 1}) {
    inputs_.reset();
    request_.budget.max_input_tokens = fixed - less;
    const auto prepared = prepared_by_stage();
    ASSERT_EQ(prepared.has_value(), less == 0);
    if (prepared)
      EXPECT_EQ(prepared->room, 0);
    else
      EXPECT_EQ(prepared.error().code, ErrorCode::budget_exceeded);
  }
}

TEST_F(StagesTest, PrepareCountsEachItemWithItsHeader) {
  attach("one", "twelve bytes");
  const auto prepared = prepared_by_stage();
  ASSERT_TRUE(prepared);
  ASSERT_EQ(prepared->gathered.items.size(), 1U);
  const auto& item = prepared->gathered.items[0];
  EXPECT_EQ(item.tokens, 12);
  EXPECT_EQ(item.header_tokens, static_cast<std::int64_t>(item.header.size()) + 2);
}

TEST_F(StagesTest, PrepareLeavesNoRoomBesideAThreadThatIsPinnedWhole) {
  context_.conversation_history.insert(context_.conversation_history.begin(), {Role::assistant, "answer"});
  for (auto& message : context_.conversation_history) message.retention = Retention::pinned;
  const auto prepared = prepared_by_stage();
  ASSERT_TRUE(prepared);
  const auto all = count_messages(*prepared->counter, context_.conversation_history);
  EXPECT_EQ(prepared->fixed.tokens, all);
  EXPECT_EQ(prepared->suffixes->everything().tokens, 0);
}

TEST_F(StagesTest, PrepareRefusesTwoArtifactsOfOneId) {
  attach("one", "text");
  attach("one", "another");
  const auto prepared = prepared_by_stage();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, ErrorCode::invalid_argument);
}

TEST_F(StagesTest, TheLayoutOfAQuestionAloneIsEverythingThereIs) {
  make_by_hand();
  const auto layout = layout_in(0);
  EXPECT_TRUE(layout.everything);
  EXPECT_TRUE(layout.items.empty());
  EXPECT_EQ(layout.block_tokens, 0);
}

TEST_F(StagesTest, TheLayoutTakesEverythingWhereItJustFits) {
  attach("one", std::string(100, 'x'));
  make_by_hand();
  prepared_->gathered.items[0].header_tokens = 5;
  prepared_->overhead_tokens = 20;
  const auto just = layout_in(125);
  EXPECT_TRUE(just.everything);
  EXPECT_EQ(just.block_tokens, 125);
  ASSERT_TRUE(just.items[0]);
  EXPECT_EQ(just.items[0]->view, ArtifactView::full);
  EXPECT_FALSE(layout_in(124).everything);
}

TEST_F(StagesTest, TheLayoutLeavesOutWhatThereIsNoRoomFor) {
  attach("one", std::string(100, 'x'));
  make_by_hand();
  const auto layout = layout_in(0);
  EXPECT_FALSE(layout.everything);
  EXPECT_FALSE(layout.items[0]);
  EXPECT_EQ(layout.relevance, std::vector<double>{0.0});
}

TEST_F(StagesTest, TheLayoutCutsNothingOfAThreadThatIsPinnedWhole) {
  context_.conversation_history.push_back({Role::assistant, "answer"});
  for (auto& message : context_.conversation_history) message.retention = Retention::pinned;
  make_by_hand();
  const auto layout = layout_in(0);
  EXPECT_TRUE(layout.everything);
  EXPECT_EQ(layout.suffix.cut, 0U);
}

TEST_F(StagesTest, ThePlanOfNothingIsEmpty) {
  make_by_hand();
  layout_.everything = true;
  const auto outcome = decide(plan_input());
  EXPECT_TRUE(outcome.plan.artifacts.empty());
  EXPECT_EQ(outcome.source, PlanSource::none);
  EXPECT_EQ(outcome.gate.reason, "no_artifacts");
  EXPECT_FALSE(outcome.call);
}

TEST_F(StagesTest, ThePlanIsTheLayoutsChoiceTheMostRelevantFirst) {
  for (const char* id : {"left_out", "whole", "extract"}) attach(id, std::string(400, 'x'));
  make_by_hand(2'000);
  layout_.items[1] = view_of(ArtifactView::full, 400, "all of it");
  layout_.items[2] = view_of(ArtifactView::extract, 100, "passages");
  layout_.relevance = {0.1, 0.4, 0.9};
  const auto outcome = decide(plan_input());
  EXPECT_EQ(outcome.source, PlanSource::deterministic);
  ASSERT_EQ(outcome.plan.artifacts.size(), 3U);
  EXPECT_EQ(outcome.plan.artifacts[0].artifact_id, "extract");
  EXPECT_EQ(outcome.plan.artifacts[1].artifact_id, "whole");
  EXPECT_EQ(outcome.decisions[0].strategy, ProcessingStrategy::exclude);
  EXPECT_EQ(outcome.decisions[1].strategy, ProcessingStrategy::include_full);
  EXPECT_EQ(outcome.decisions[2].strategy, ProcessingStrategy::rag_extract);
}

TEST_F(StagesTest, OfItemsThatAreEquallyRelevantThePlanNamesTheFirstFirst) {
  for (const char* id : {"b", "a"}) attach(id, "text");
  make_by_hand();
  layout_.items[0] = layout_.items[1] = view_of(ArtifactView::full, 4, "");
  const auto outcome = decide(plan_input());
  ASSERT_EQ(outcome.plan.artifacts.size(), 2U);
  EXPECT_EQ(outcome.plan.artifacts[0].artifact_id, "b");
}

TEST_F(StagesTest, APlanThatWasGivenIsCarriedOut) {
  attach("one", "text");
  request_.plan.emplace();
  request_.plan->artifacts.push_back({"one", ProcessingStrategy::exclude, 1, "", "", "", 0});
  make_by_hand();
  layout_.items[0] = view_of(ArtifactView::full, 4, "");
  const auto outcome = decide(plan_input());
  EXPECT_EQ(outcome.source, PlanSource::given);
  EXPECT_EQ(outcome.decisions[0].strategy, ProcessingStrategy::exclude);
}

TEST_F(StagesTest, NothingIsFilledInOfNothing) {
  make_by_hand();
  const auto filled = fill(input(), {});
  EXPECT_TRUE(filled.parts.block.empty());
  EXPECT_TRUE(filled.texts.empty());
}

TEST_F(StagesTest, TextsStandInTheBlockInTheOrderOfTheirItems) {
  for (const char* id : {"first", "second", "third"}) attach(id, std::string("text of the ") + id);
  make_by_hand();
  const auto filled = fill(input(), with_excluded(1));
  ASSERT_EQ(filled.parts.block.entries.size(), 2U);
  EXPECT_EQ(filled.parts.block.entries[0].text, "text of the first");
  EXPECT_EQ(filled.parts.block.entries[1].text, "text of the third");
}

TEST_F(StagesTest, TheResultOfAStepStandsInItsStepAndNotInTheBlock) {
  attach("result", "found");
  make_by_hand();
  prepared_->gathered.step_artifacts.push_back(context_.artifacts[0]);
  outcome_.items[0].kind = ItemKind::step_result;
  outcome_.items[0].step_result = 0;
  const auto filled = fill(input(), all_whole());
  EXPECT_TRUE(filled.parts.block.empty());
  EXPECT_EQ(filled.parts.step_results, std::vector<std::string>{"found"});
}

TEST_F(StagesTest, TheIndexListsWhatIsNotWholeTheMostRelevantFirst) {
  for (const char* id : {"a", "b", "c", "whole"}) attach(id, "text");
  make_by_hand();
  prepared_->index_tokens = 1'000;
  layout_.relevance = {0.2, 0.7, 0.2, 0.9};
  auto texts = all_whole();
  for (std::size_t i = 0; i < 3; ++i) texts[i] = {};
  auto filled = fill(input(), texts);
  fill_index(input(), {"ref_a", "ref_b", "ref_c", "ref_whole"}, filled);
  std::vector<std::size_t> listed;
  for (const auto& line : filled.parts.block.index) listed.push_back(line.item);
  EXPECT_EQ(listed, (std::vector<std::size_t>{1, 0, 2}));  // Of two that are equally relevant, the first.
}

TEST_F(StagesTest, TheIndexTakesALineThatJustFits) {
  attach("a", "text");
  make_by_hand();
  const auto line = index_line(context_.artifacts[0], 4, "ref");
  const auto needed = static_cast<std::int64_t>(index_heading.size() + 1 + line.size() + 1);
  for (const std::int64_t less : {0, 1}) {
    prepared_->index_tokens = needed - less;
    auto filled = fill(input(), with_excluded(0));
    fill_index(input(), {"ref"}, filled);
    EXPECT_EQ(filled.parts.block.index.size(), less == 0 ? 1U : 0U);
  }
}

TEST_F(StagesTest, AnEntryIsShortenedAsFarAsSixteenTokens) {
  attach("one", "question\n" + std::string(191, 'x'));
  make_by_hand();
  auto filled = fill(input(), all_whole());
  const auto entry = filled.parts.block.entries[0];
  EXPECT_FALSE(smaller_entry(input(), entry, 181, filled)) << "4 more are saved than is asked";
  EXPECT_EQ(filled.texts[0].strategy, ProcessingStrategy::include_full);
  ASSERT_TRUE(smaller_entry(input(), entry, 180, filled));
  EXPECT_LE(filled.texts[0].tokens, 16);
}

TEST_F(StagesTest, OfExcerptsTheLeastRelevantGiveWayAndOfEqualOnesTheFirst) {
  for (const char* text : {"first", "second"}) context_.conversation_history.push_back({Role::user, text});
  make_by_hand();
  outcome_.items.emplace_back();
  outcome_.items[0].kind = ItemKind::older_messages;
  for (const std::size_t message : {1, 2}) {
    layout_.older.push_back(view_of(ArtifactView::extract, 10, ""));
    layout_.older.back().index = message;
    layout_.older.back().text = render_message(context_.conversation_history[message]);
  }
  auto filled = fill(input(), {});
  ASSERT_EQ(filled.parts.block.entries.size(), 1U);
  const auto smaller = smaller_entry(input(), filled.parts.block.entries[0], 10, filled);
  ASSERT_TRUE(smaller);
  EXPECT_EQ(smaller->text, "[3] user: second\n");
  EXPECT_FALSE(smaller_entry(input(), *smaller, 1, filled)) << "nothing is left";
}

TEST_F(StagesTest, VerifyLeavesWhatJustFitsAndStepsDownWhatDoesNot) {
  for (const char* id : {"first", "second"}) attach(id, std::string(200, 'x'));
  make_by_hand();
  const auto whole = verify(input(), fill(input(), all_whole()));
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->stepped_down);
  prepared_->budget.max_input = whole->tokens;
  const auto just = verify(input(), fill(input(), all_whole()));
  ASSERT_TRUE(just);
  EXPECT_FALSE(just->stepped_down);
  prepared_->budget.max_input = whole->tokens - 1;
  const auto less = verify(input(), fill(input(), all_whole()));
  ASSERT_TRUE(less);
  EXPECT_TRUE(less->stepped_down);
  EXPECT_LT(less->tokens, whole->tokens);
  EXPECT_EQ(less->filled.parts.block.entries[0].text.size(), 200U);  // The second is the least important.
}

TEST_F(StagesTest, VerifyStepsNothingDownOfAThreadThatIsPinnedWhole) {
  context_.conversation_history.push_back({Role::assistant, "answer"});
  for (auto& message : context_.conversation_history) message.retention = Retention::pinned;
  make_by_hand();
  for (const std::int64_t less : {0, 1}) {
    prepared_->budget.max_input = count_messages(*prepared_->counter, context_.conversation_history) - less;
    const auto verified = verify(input(), fill(input(), {}));
    ASSERT_EQ(verified.has_value(), less == 0);
    EXPECT_FALSE(verified && verified->stepped_down);
  }
}

TEST_F(StagesTest, VerifyFailsWhereTheFixedPartsAloneAreTooLarge) {
  make_by_hand();
  prepared_->budget.max_input = prepared_->fixed.tokens - 1;
  const auto verified = verify(input(), fill(input(), {}));
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, ErrorCode::budget_exceeded);
}

TEST_F(StagesTest, WithoutAnArchiveNothingIsReferredTo) {
  attach("one", "text");
  make_by_hand();
  ArchivedItems archived(input(), *analyses_.artifacts);
  const auto verified = verify(input(), fill(input(), with_excluded(0)));
  ASSERT_TRUE(verified);
  archived.refer(verified->filled);
  EXPECT_TRUE(archived.keep(*verified));
  EXPECT_EQ(archived.references(), References{""});
}

TEST_F(StagesTest, TheArchiveIsGivenWhatIsNotWholeAllAtOnceAndOnce) {
  for (const char* id : {"whole", "less", "more"}) attach(id, "text");
  archive();
  make_by_hand();
  layout_.relevance = {0.5, 0.1, 0.9};
  auto texts = with_excluded(1);
  texts[2] = {};
  const auto verified = verify(input(), fill(input(), texts));
  ASSERT_TRUE(verified);
  for (int build = 0; build < 2; ++build) {
    ArchivedItems archived(input(), *analyses_.artifacts);
    archived.refer(verified->filled);
    EXPECT_TRUE(archived.keep(*verified));
    EXPECT_EQ(archived.references()[1], "get_context(\"less\")");
  }
  EXPECT_EQ(archive()->calls, 1);
  EXPECT_EQ(archive()->kept, (std::vector<std::string>{"more", "less"}));
}

TEST_F(StagesTest, ADryRunArchivesNothing) {
  attach("one", "text");
  archive();
  caller_ = Caller::dry_run;
  make_by_hand();
  const auto verified = verify(input(), fill(input(), with_excluded(0)));
  ASSERT_TRUE(verified);
  ArchivedItems archived(input(), *analyses_.artifacts);
  archived.refer(verified->filled);
  EXPECT_TRUE(archived.keep(*verified));
  EXPECT_EQ(archive()->calls, 0);
}

TEST_F(StagesTest, WhatCannotBeStoredIsTakenOutOfTheIndex) {
  for (const char* id : {"lost", "kept"}) attach(id, "text");
  archive()->refused = "lost";
  make_by_hand();
  prepared_->index_tokens = 1'000;
  ArchivedItems archived(input(), *analyses_.artifacts);
  auto filled = fill(input(), std::vector<ProcessedText>(2));
  archived.refer(filled);
  fill_index(input(), archived.references(), filled);
  ASSERT_EQ(filled.parts.block.index.size(), 2U);
  auto verified = verify(input(), filled);
  ASSERT_TRUE(verified);
  EXPECT_FALSE(archived.keep(*verified));
  archived.withdraw(verified->filled);
  ASSERT_EQ(verified->filled.parts.block.index.size(), 1U);
  EXPECT_EQ(verified->filled.parts.block.index[0].item, 1U);
  EXPECT_EQ(archived.notes().size(), 1U);
}

TEST_F(StagesTest, TheReceiptOfNothingHasFiguresAndNoRecords) {
  make_by_hand();
  const auto verified = verify(input(), fill(input(), {}));
  ASSERT_TRUE(verified);
  const auto receipt = receipt_of(*verified);
  EXPECT_EQ(receipt.artifacts_total, 0U);
  EXPECT_EQ(receipt.input_tokens_used, verified->tokens);
  EXPECT_EQ(receipt.messages_included, 1U);
}

TEST_F(StagesTest, TheReceiptHasARecordOfEachItemAsItIsSent) {
  for (const char* id : {"whole", "out"}) attach(id, "twelve bytes");
  make_by_hand();
  const auto verified = verify(input(), fill(input(), with_excluded(1)));
  ASSERT_TRUE(verified);
  const auto receipt = receipt_of(*verified);
  ASSERT_EQ(receipt.artifacts_processed.size(), 2U);
  EXPECT_EQ(receipt.artifacts_included, 1U);
  EXPECT_EQ(receipt.artifacts_excluded, 1U);
  EXPECT_EQ(receipt.artifacts_processed[0].processed_tokens, 12);
  EXPECT_EQ(receipt.artifacts_processed[1].processed_tokens, 0);
  EXPECT_EQ(receipt.artifacts_processed[1].original_tokens, 12);
}

TEST_F(StagesTest, WhatIsRememberedIsWhatWasSentAndWhatPlanningTook) {
  make_by_hand();
  prepared_->previous.emplace();
  prepared_->previous->planning_tokens = 40;
  prepared_->previous->planning_nano_usd = 5;
  const auto verified = verify(input(), fill(input(), {}));
  ASSERT_TRUE(verified);
  const auto remembered = remember(input(), *verified, {2, 3e-9});
  EXPECT_EQ(remembered.messages, 1U);
  EXPECT_EQ(remembered.history, prepared_->thread().fingerprint());
  EXPECT_EQ(remembered.planning_tokens, 42);
  EXPECT_EQ(remembered.planning_nano_usd, 8);
  EXPECT_EQ(remembered.sent.marks.size(), verified->assembly.messages.size());
  EXPECT_EQ(remembered.asked_tokens, 0);
}

TEST_F(StagesTest, WhatWasAskedIsRememberedUntilAnotherQuestionIs) {
  make_by_hand();
  prepared_->previous.emplace();
  prepared_->previous->asked_tokens = 40;
  const auto verified = verify(input(), fill(input(), {}));
  ASSERT_TRUE(verified);
  EXPECT_EQ(remember(input(), *verified, {}).asked_tokens, 40);
  outcome_.asked = true;
  outcome_.needed_tokens = 0;
  EXPECT_EQ(remember(input(), *verified, {}).asked_tokens, 1) << "0 says that nothing was asked";
  outcome_.needed_tokens = 70;
  EXPECT_EQ(remember(input(), *verified, {}).asked_tokens, 70);
}

TEST_F(StagesTest, OfMoreThanAnyBuildCostsSoMuchIsRemembered) {
  make_by_hand();
  const auto verified = verify(input(), fill(input(), {}));
  ASSERT_TRUE(verified);
  EXPECT_EQ(remember(input(), *verified, {0, 1e30}).planning_nano_usd, 1'000'000'000'000'000);
  EXPECT_EQ(remember(input(), *verified, {0, -1}).planning_nano_usd, 0);
}

TEST_F(StagesTest, APrefixIsKeptAsFarAsEveryByteOfItIs) {
  make_by_hand();
  const auto verified = verify(input(), fill(input(), {}));
  ASSERT_TRUE(verified);
  const auto remembered = remember(input(), *verified, {});
  auto messages = verified->assembly.messages;
  const auto sent = messages.size();
  EXPECT_EQ(messages_kept(remembered.sent, marks_of({})), 0U);
  EXPECT_EQ(messages_kept(remembered.sent, marks_of(messages)), sent);
  messages.push_back({Role::assistant, "more"});
  EXPECT_EQ(messages_kept(remembered.sent, marks_of(messages)), sent);
  messages.front().content = "other";
  EXPECT_EQ(messages_kept(remembered.sent, marks_of(messages)), 0U);
}

TEST(UsageThresholdTest, IsPassedWhereItIsReached) {
  EXPECT_EQ(usage_threshold(0, 0), 0);
  EXPECT_EQ(usage_threshold(49, 100), 0);
  EXPECT_EQ(usage_threshold(50, 100), 50);
  EXPECT_EQ(usage_threshold(74, 100), 50);
  EXPECT_EQ(usage_threshold(75, 100), 75);
  EXPECT_EQ(usage_threshold(90, 100), 90);
  EXPECT_EQ(usage_threshold(200, 100), 90);
}

}  // namespace
}  // namespace ctxmgr::engine
