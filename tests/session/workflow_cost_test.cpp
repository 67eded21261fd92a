#include "ctxmgr/session/workflow_cost.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

ModelInfo priced() {
  ModelInfo model;
  model.input_usd_per_token = 0.075e-6;
  model.output_usd_per_token = 0.30e-6;
  return model;
}

// Report 10 000, stakeholders 2 000, summary 500, four stakeholder contexts of 1 000: 16 500 tokens for each of 4 emails.
constexpr WorkflowShape emails{16'500, 4, 0, 2'000};

TEST(WorkflowCostTest, GivesTheFiguresOfTheWorkedExample) {
  const auto estimate = estimate_workflow_cost(emails, priced());
  EXPECT_EQ(estimate.usage.prompt_tokens, 66'000);
  EXPECT_EQ(estimate.usage.completion_tokens, 8'000);
  EXPECT_EQ(estimate.usage.total_tokens(), 74'000);
  EXPECT_EQ(estimate.usage.calls, 4);
  EXPECT_NEAR(estimate.cost.total_cost_usd(), 0.00735, 1e-12);
}

TEST(WorkflowCostTest, ACachedPrefixIsWrittenOnceAndThenRead) {
  ModelInfo model = priced();
  model.cached_input_usd_per_token = 0.01e-6;
  model.cache_write_usd_per_token = 0.10e-6;
  model.min_cached_prefix_tokens = 1'024;
  const auto estimate = estimate_workflow_cost(emails, model, PromptCaching::counted);
  EXPECT_EQ(estimate.usage.prompt_tokens, 66'000);
  EXPECT_EQ(estimate.usage.cache_write_tokens, 16'500);
  EXPECT_EQ(estimate.usage.cached_prompt_tokens, 49'500);
  EXPECT_NEAR(estimate.cost.prompt_cost_usd, 16'500 * 0.10e-6 + 49'500 * 0.01e-6, 1e-12);
}

TEST(WorkflowCostTest, APrefixShorterThanTheProvidersMinimumIsNotCached) {
  ModelInfo model = priced();
  model.cached_input_usd_per_token = 0.01e-6;
  model.min_cached_prefix_tokens = 16'501;
  const auto estimate = estimate_workflow_cost(emails, model, PromptCaching::counted);
  EXPECT_EQ(estimate.usage.cached_prompt_tokens, 0);
  EXPECT_NEAR(estimate.cost.total_cost_usd(), 0.00735, 1e-12);
}

TEST(WorkflowCostTest, AProviderWithoutACacheCostsTheSameEitherWay) {
  const auto counted = estimate_workflow_cost(emails, priced(), PromptCaching::counted);
  EXPECT_NEAR(counted.cost.total_cost_usd(), 0.00735, 1e-12);
}

TEST(WorkflowCostTest, UnknownPricesAreNoCost) {
  EXPECT_EQ(estimate_workflow_cost(emails, ModelInfo{}).cost.total_cost_usd(), 0.0);
  EXPECT_EQ(estimate_workflow_cost({-1, -1, -1, -1}, priced()).usage.total_tokens(), 0);
}

}  // namespace
}  // namespace ctxmgr
