#include "ctxmgr/engine/planning_gate.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

/// A catalogue with a cheap and an expensive model; anything else has no price.
ModelCatalog priced_catalog() {
  ModelInfo cheap;
  cheap.model = "cheap";
  cheap.input_usd_per_token = 0.0000001;
  cheap.output_usd_per_token = 0.0000004;
  ModelInfo dear = cheap;
  dear.model = "dear";
  dear.input_usd_per_token = 0.00002;
  ModelInfo narrow = dear;
  narrow.model = "narrow";
  narrow.context_window_tokens = 10'000;
  return ModelCatalog().with(cheap).with(dear).with(narrow);
}

PlanningSituation roomy() {
  PlanningSituation situation;
  situation.artifacts = 3;
  situation.total_chars = 9'000;
  situation.largest_chars = 4'000;
  situation.needed_tokens = 2'500;
  situation.available_tokens = 10'000;
  return situation;
}

GateDecision gate_for(const PlanningSituation& situation, const std::string& model = "cheap",
                      const PlanningPolicy& policy = {}, const GateThresholds& thresholds = {}) {
  auto models = ModelConfig::single("cheap");
  models.primary = model;
  return should_use_llm_planning(situation, models, priced_catalog(), policy, thresholds);
}

TEST(PlanningGateTest, WithoutArtifactsThereIsNothingToPlan) {
  const auto decision = gate_for(PlanningSituation{});
  EXPECT_FALSE(decision.use_llm);
  EXPECT_EQ(decision.reason, "no_artifacts");
}

TEST(PlanningGateTest, LittleTextThatFitsIsNotWorthACallEvenFromEarlierTurns) {
  auto situation = roomy();
  situation.total_chars = 4'999;
  situation.historical_artifacts = 3;
  EXPECT_EQ(gate_for(situation).reason, "small_and_fits");
  situation.needed_tokens = 10'001;
  EXPECT_TRUE(gate_for(situation).use_llm);
}

TEST(PlanningGateTest, ResultsOfEarlierTurnsAreWorthACall) {
  auto situation = roomy();
  situation.historical_artifacts = 1;
  EXPECT_TRUE(gate_for(situation).use_llm);
  EXPECT_EQ(gate_for(situation).reason, "historical_artifacts");
}

TEST(PlanningGateTest, WhatFitsWithABufferIsNotWorthACallOnACheapModel) {
  auto situation = roomy();
  situation.needed_tokens = 7'000;
  EXPECT_EQ(gate_for(situation).reason, "fits_with_buffer");
  situation.needed_tokens = 7'001;
  EXPECT_EQ(gate_for(situation).reason, "near_or_over_limit");
  EXPECT_TRUE(gate_for(situation).use_llm);
}

TEST(PlanningGateTest, AnExpensivePrimaryIsWorthACall) {
  EXPECT_TRUE(gate_for(roomy(), "dear").use_llm);
  EXPECT_EQ(gate_for(roomy(), "dear").reason, "expensive_primary");
}

TEST(PlanningGateTest, ALargeArtifactIsWorthACall) {
  auto situation = roomy();
  situation.largest_chars = 10'000;
  EXPECT_FALSE(gate_for(situation).use_llm);
  situation.largest_chars = 10'001;
  EXPECT_EQ(gate_for(situation).reason, "large_artifact");
}

TEST(PlanningGateTest, AnUnknownPriceCountsAsCheapAndIsSaid) {
  const auto decision = gate_for(roomy(), "nobody-knows-this");
  EXPECT_FALSE(decision.use_llm);
  EXPECT_NE(decision.reason.find("price_unknown"), std::string::npos);
}

TEST(PlanningGateTest, TheModeOverridesEverythingButNothingToPlan) {
  PlanningPolicy policy;
  policy.mode = PlannerMode::llm;
  EXPECT_TRUE(gate_for(roomy(), "cheap", policy).use_llm);
  EXPECT_FALSE(gate_for(PlanningSituation{}, "cheap", policy).use_llm);
  policy.mode = PlannerMode::deterministic;
  auto situation = roomy();
  situation.needed_tokens = 1'000'000;
  EXPECT_FALSE(gate_for(situation, "cheap", policy).use_llm);
}

TEST(PlanningGateTest, AModelTooSmallToPlanIsNotAskedUnlessItIsWanted) {
  auto situation = roomy();
  situation.historical_artifacts = 1;
  auto models = ModelConfig::single("cheap");
  models.context_planner = "qwen2.5-0.5b-instruct";
  EXPECT_EQ(should_use_llm_planning(situation, models, priced_catalog()).reason, "planner_too_small");
  EXPECT_FALSE(should_use_llm_planning(situation, models, priced_catalog()).use_llm);
  EXPECT_EQ(should_use_llm_planning(roomy(), models, priced_catalog()).reason, "fits_with_buffer");
  models.context_planner = "llama3.2:1b";
  EXPECT_TRUE(should_use_llm_planning(situation, models, priced_catalog()).use_llm);
  models.context_planner = "smollm2:360m";
  PlanningPolicy policy;
  policy.mode = PlannerMode::llm;
  EXPECT_TRUE(should_use_llm_planning(situation, models, priced_catalog(), policy).use_llm);
}

TEST(PlanningGateTest, ACallThatCostsMoreThanItSavesIsNotMade) {
  auto situation = roomy();
  situation.needed_tokens = 12'000;
  GateThresholds thresholds;
  thresholds.expected_remaining_turns = 0;
  EXPECT_EQ(gate_for(situation, "cheap", {}, thresholds).reason, "costs_more_than_it_saves");
  thresholds.expected_remaining_turns = 1'000;
  EXPECT_TRUE(gate_for(situation, "cheap", {}, thresholds).use_llm);
}

TEST(PlanningGateTest, WhatFitsSavesNothing) {
  auto situation = roomy();
  situation.needed_tokens = 8'000;
  GateThresholds thresholds;
  thresholds.expected_remaining_turns = 1'000;
  EXPECT_EQ(gate_for(situation, "dear", {}, thresholds).reason, "costs_more_than_it_saves");
}

TEST(PlanningGateTest, WhatTheWindowWouldNotHaveTakenIsNotSaved) {
  auto situation = roomy();
  situation.needed_tokens = 200'000;
  GateThresholds thresholds;
  thresholds.expected_remaining_turns = 10;
  EXPECT_TRUE(gate_for(situation, "dear", {}, thresholds).use_llm);
  EXPECT_EQ(gate_for(situation, "narrow", {}, thresholds).reason, "costs_more_than_it_saves");
}

TEST(PlanningGateTest, KnownFiguresCountInPlaceOfEstimates) {
  auto situation = roomy();
  situation.needed_tokens = 12'000;
  GateThresholds thresholds;
  thresholds.expected_remaining_turns = 0;
  situation.planner_prompt_tokens = 500;
  situation.summarized_tokens = 100;
  situation.summary_tokens = 10;
  situation.rewritten_tokens = 0;
  EXPECT_TRUE(gate_for(situation, "dear", {}, thresholds).use_llm) << "0.0003 USD against 0.04";
  situation.planner_prompt_tokens = 1'000'000;
  EXPECT_EQ(gate_for(situation, "dear", {}, thresholds).reason, "costs_more_than_it_saves");
}

TEST(PlanningGateTest, APlannerThatMayTakeLongerThanThereIsTimeIsNotAsked) {
  auto situation = roomy();
  situation.needed_tokens = 12'000;
  situation.time = std::chrono::milliseconds(7'999);
  EXPECT_EQ(gate_for(situation).reason, "no_time");
  situation.time = std::chrono::milliseconds(8'000);
  EXPECT_TRUE(gate_for(situation).use_llm);
  situation.time = std::chrono::milliseconds(0);
  PlanningPolicy policy;
  policy.mode = PlannerMode::llm;
  EXPECT_TRUE(gate_for(situation, "cheap", policy).use_llm);
}

TEST(PlanningGateTest, ThresholdsAreAValue) {
  GateThresholds thresholds;
  thresholds.large_artifact_chars = 3'999;
  EXPECT_EQ(gate_for(roomy(), "cheap", {}, thresholds).reason, "large_artifact");
  thresholds.min_total_chars = 9'001;
  EXPECT_EQ(gate_for(roomy(), "cheap", {}, thresholds).reason, "small_and_fits");
}

}  // namespace
}  // namespace ctxmgr
