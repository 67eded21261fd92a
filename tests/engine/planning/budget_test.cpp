#include "engine/planning/budget.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ctxmgr::engine {
namespace {

ModelInfo known_model(std::int64_t window) {
  ModelInfo model;
  model.context_window_tokens = window;
  model.known = true;
  return model;
}

class BudgetTest : public ::testing::Test {
 protected:
  Result<TokenBudget> compute(std::int64_t window = 100'000, std::int64_t tools = 0, bool exact = true) {
    notes.clear();
    return compute_budget(options, known_model(window), tools, exact, notes);
  }
  BudgetOptions options;
  Notes notes;
};

TEST_F(BudgetTest, TheWindowLessTheReplyAndTheToolsIsForMessages) {
  const auto budget = compute(100'000, 500);
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->reserved_output, 4'096);
  EXPECT_EQ(budget->max_input, 100'000 - 4'096 - 500);
  EXPECT_TRUE(notes.empty());
}

TEST_F(BudgetTest, UtilizationTakesAShareOfTheWindow) {
  options.utilization = ContextUtilization::low;
  EXPECT_EQ(compute()->max_input, 33'000 - 4'096);
  options.utilization = ContextUtilization::medium;
  EXPECT_EQ(compute()->max_input, 66'000 - 4'096);
}

TEST_F(BudgetTest, ASmallWindowReservesAQuarterForTheReply) {
  const auto budget = compute(8'000);
  EXPECT_EQ(budget->reserved_output, 2'000);
  EXPECT_EQ(budget->max_input, 6'000);
}

TEST_F(BudgetTest, AGivenBudgetIncludesTheToolsAndNothingElseTouchesIt) {
  options.max_input_tokens = 2'000;
  options.utilization = ContextUtilization::low;
  EXPECT_EQ(compute(100'000, 300, false)->max_input, 1'700);
}

TEST_F(BudgetTest, EstimatedTokensLeaveASafetyMargin) {
  const auto budget = compute(104'096, 0, false);
  EXPECT_EQ(budget->max_input, 76'923);  // 100 000 / 1.3
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].text.find("estimated"), std::string::npos);
}

TEST_F(BudgetTest, TheNoteNamesTheVocabularyThatHasNoCounter) {
  auto model = known_model(100'000);
  model.tokenizer = "my-vocabulary";
  ASSERT_TRUE(compute_budget(options, model, 0, false, notes));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].text.find("(my-vocabulary)"), std::string::npos);
}

TEST_F(BudgetTest, CalibrationDividesABudgetFromTheWindow) {
  options.calibration = 2.0;
  EXPECT_EQ(compute(104'096)->max_input, 50'000);
}

TEST_F(BudgetTest, WhatTheServiceCountsMoreDividesAGivenBudgetAndTheReceiptSaysSo) {
  options.max_input_tokens = 2'000;
  options.calibration = 1.25;
  EXPECT_EQ(compute(100'000, 300)->max_input, 1'300);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].text.find("1.25"), std::string::npos);
  options.calibration = 0.8;
  EXPECT_EQ(compute(100'000, 300)->max_input, 1'700) << "nothing enlarges what a host gave";
  EXPECT_TRUE(notes.empty());
}

TEST_F(BudgetTest, AnUnknownModelGetsAnAssumedWindowAndSaysSo) {
  const auto budget = compute_budget(options, ModelInfo{}, 0, true, notes);
  EXPECT_EQ(budget->context_window, 128'000);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].text.find("128000"), std::string::npos);
}

TEST_F(BudgetTest, AWindowIsNeverAssumedForANameThatNobodyKnows) {
  ModelInfo model;
  model.model = "our-own";
  const auto refused = compute_budget(options, model, 0, true, notes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find("our-own"), std::string::npos);
  options.context_window_tokens = 6'000;
  EXPECT_EQ(compute_budget(options, model, 0, true, notes)->context_window, 6'000);
  options = {};
  options.max_input_tokens = 500;
  EXPECT_EQ(compute_budget(options, model, 0, true, notes)->max_input, 500);
}

TEST_F(BudgetTest, AnUnknownModelIsRefusedWithTheNamesThatItMayHaveMeant) {
  ModelInfo model;
  model.model = "openai/gtp-4o-mni";
  const auto refused = compute_budget(options, model, 0, true, notes);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("(did you mean gpt-4o-mini, "), std::string::npos) << refused.error().message;
}

TEST_F(BudgetTest, ToolsThatLeaveNoRoomAreBudgetExceededWithTheFigures) {
  options.max_input_tokens = 100;
  const auto budget = compute(100'000, 101);
  ASSERT_FALSE(budget);
  EXPECT_EQ(budget.error().code, ErrorCode::budget_exceeded);
  EXPECT_NE(budget.error().message.find("101"), std::string::npos);
}

TEST_F(BudgetTest, AbsurdFiguresAreInvalidArguments) {
  for (const std::int64_t tokens : {std::int64_t{-1}, std::int64_t{1} << 62}) {
    options.max_input_tokens = tokens;
    EXPECT_EQ(compute().error().code, ErrorCode::invalid_argument);
  }
  options = {};
  options.context_window_tokens = -1;
  EXPECT_EQ(compute().error().code, ErrorCode::invalid_argument);
}

TEST_F(BudgetTest, AnAbsurdWindowOfACatalogueIsBounded) {
  EXPECT_EQ(compute(std::numeric_limits<std::int64_t>::max())->context_window, most_tokens);
  EXPECT_EQ(compute(-5)->max_input, 0);
}

TEST(HistoryPolicyTest, SharesAreSharesOrInvalidArguments) {
  for (const double share : {0.0, 0.25, 1.0}) EXPECT_TRUE(check(HistoryPolicy{share, share}));
  for (const double share : {-0.1, 1.1, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(check(HistoryPolicy{share, 0.7}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(check(HistoryPolicy{0.25, share}).error().code, ErrorCode::invalid_argument);
  }
}

TEST(OriginOfBudgetTest, SaysHowAFigureCameFromTheOneThatTheHostGave) {
  BudgetOptions options;
  options.max_input_tokens = 4'000;
  options.calibration = 2.0;
  Notes notes;
  const auto halved = compute_budget(options, ModelInfo{}, 60, true, notes);
  EXPECT_EQ(origin_of(*halved, options),
            "; 1940 is 4000 divided by 2.00, as the service counts so many for one here, less 60 for tools");
  options.calibration = 0.9;
  const auto with_tools = compute_budget(options, ModelInfo{}, 60, true, notes);
  EXPECT_EQ(origin_of(*with_tools, options), "; 3940 is 4000, less 60 for tools");
  EXPECT_EQ(origin_of(*compute_budget(options, ModelInfo{}, 0, true, notes), options), "");
  ModelInfo known;
  known.context_window_tokens = 10'000;
  EXPECT_EQ(origin_of(*compute_budget({}, known, 60, true, notes), {}), "");
}

TEST(CalibrationTest, MovesAFifthOfTheWayAndNeverFar) {
  EXPECT_DOUBLE_EQ(calibrated(1.0, 100, 110), 1.02);
  EXPECT_DOUBLE_EQ(calibrated(1.0, 100, 1'000), 1.15);
  EXPECT_DOUBLE_EQ(calibrated(2.0, 100, 10'000), 2.0);
  EXPECT_DOUBLE_EQ(calibrated(0.5, 100, 1), 0.5);
  EXPECT_DOUBLE_EQ(calibrated(1.2, 0, 10), 1.2);
}

TEST(BudgetAfterRefusalTest, AllowsFourFifthsOfWhatWasSentAndTellsTheCalibration) {
  BudgetOptions options;
  options.calibration = 1.0;
  const auto smaller = after_refusal(options, 10'000);
  Notes notes;
  EXPECT_EQ(compute_budget(smaller, ModelInfo{}, 0, true, notes)->max_input, 8'000);
  EXPECT_GT(smaller.calibration, 1.0);
  EXPECT_LE(smaller.calibration, 1.15);
  EXPECT_EQ(after_refusal(options, 0).max_input_tokens, 0);
}

}  // namespace
}  // namespace ctxmgr::engine
