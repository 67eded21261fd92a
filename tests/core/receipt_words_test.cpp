#include "ctxmgr/core/receipt_words.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/engine/planning_gate.hpp"

namespace ctxmgr {
namespace {

TEST(ReceiptWordsTest, AReasonIsSaidInWordsWithWhatIsAddedToIt) {
  EXPECT_EQ(plan_reason_in_words("near_or_over_limit (no client)"),
            "not everything fits easily, and there is no model to ask");
  EXPECT_EQ(plan_reason_in_words("fits_with_buffer (price_unknown)"),
            "everything fits with room to spare, and the price is not known");
  EXPECT_EQ(plan_reason_in_words("large_artifact: a plan may take more than the limit on planning leaves"),
            "a document is large: a plan may take more than the limit on planning leaves");
}

TEST(ReceiptWordsTest, WhatIsInWordsAlreadyStays) {
  for (const char* said : {"", "the planner failed: no_time", "nothing has changed since the last plan"})
    EXPECT_EQ(plan_reason_in_words(said), said);
}

TEST(ReceiptWordsTest, WhatTheGateSaysHasWords) {
  ModelConfig models = ModelConfig::from_request("gpt-4o");
  PlanningSituation situation;
  for (const PlannerMode mode : {PlannerMode::automatic, PlannerMode::llm, PlannerMode::deterministic}) {
    PlanningPolicy policy;
    policy.mode = mode;
    for (const std::size_t artifacts : {0, 3}) {
      situation.artifacts = artifacts;
      for (const std::int64_t needed : {10, 1'000'000}) {
        situation.needed_tokens = needed;
        situation.available_tokens = 5'000;
        for (const char* planner : {"gpt-4o", "qwen2.5:0.5b"}) {
          models.context_planner = planner;
          const auto reason = should_use_llm_planning(situation, models, {}, policy).reason;
          EXPECT_EQ(plan_reason_in_words(reason).find('_'), std::string::npos) << reason;
        }
      }
    }
  }
}

TEST(ReceiptWordsTest, AFormIsAWord) {
  ArtifactUsageRecord record;
  record.strategy = ProcessingStrategy::rag_extract;
  EXPECT_EQ(form_in_words(record), "extract");
  record.strategy = ProcessingStrategy::exclude;
  EXPECT_EQ(form_in_words(record), "not sent");
  record.processed_tokens = 12;
  EXPECT_EQ(form_in_words(record), "one line");
}

}  // namespace
}  // namespace ctxmgr
