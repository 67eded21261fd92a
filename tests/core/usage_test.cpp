#include "ctxmgr/core/usage.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/core/model_catalog.hpp"

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
constexpr WorkflowShape cached_emails{16'500, 4, 0, 2'000, true};

double cost_usd(const WorkflowShape& shape, const ModelInfo& model) {
  return cost_of(estimate_workflow_usage(shape, model), model).total_cost_usd();
}

TEST(WorkflowUsageTest, GivesTheFiguresOfTheWorkedExample) {
  const auto usage = estimate_workflow_usage(emails, priced());
  EXPECT_EQ(usage.prompt_tokens, 66'000);
  EXPECT_EQ(usage.completion_tokens, 8'000);
  EXPECT_EQ(usage.total_tokens(), 74'000);
  EXPECT_EQ(usage.calls, 4);
  EXPECT_NEAR(cost_usd(emails, priced()), 0.00735, 1e-12);
}

TEST(WorkflowUsageTest, ACachedPrefixIsWrittenOnceAndThenRead) {
  ModelInfo model = priced();
  model.cached_input_usd_per_token = 0.01e-6;
  model.cache_write_usd_per_token = 0.10e-6;
  model.min_cached_prefix_tokens = 1'024;
  const auto usage = estimate_workflow_usage(cached_emails, model);
  EXPECT_EQ(usage.prompt_tokens, 66'000);
  EXPECT_EQ(usage.cache_write_tokens, 16'500);
  EXPECT_EQ(usage.cached_prompt_tokens, 49'500);
  EXPECT_NEAR(cost_of(usage, model).prompt_cost_usd, 16'500 * 0.10e-6 + 49'500 * 0.01e-6, 1e-12);
}

TEST(WorkflowUsageTest, APrefixShorterThanTheProvidersMinimumIsNotCached) {
  ModelInfo model = priced();
  model.cached_input_usd_per_token = 0.01e-6;
  model.min_cached_prefix_tokens = 16'501;
  EXPECT_EQ(estimate_workflow_usage(cached_emails, model).cached_prompt_tokens, 0);
  EXPECT_NEAR(cost_usd(cached_emails, model), 0.00735, 1e-12);
}

TEST(WorkflowUsageTest, AProviderWithoutACacheCostsTheSameEitherWay) {
  EXPECT_NEAR(cost_usd(cached_emails, priced()), 0.00735, 1e-12);
}

TEST(WorkflowUsageTest, UnknownPricesAreNoCost) {
  EXPECT_EQ(cost_usd(emails, ModelInfo{}), 0.0);
  EXPECT_EQ(estimate_workflow_usage({-1, -1, -1, -1}, priced()).total_tokens(), 0);
}

}  // namespace
}  // namespace ctxmgr
