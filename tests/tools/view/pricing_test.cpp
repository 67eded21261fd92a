#include "view/pricing.hpp"

#include <gtest/gtest.h>

namespace ctxpack::view::test {
namespace {

TEST(PricingTest, BothSidesAreCountedWithACache) {
  ctxmgr::ModelInfo model;
  model.model = "m";
  model.input_usd_per_token = 1;
  model.cached_input_usd_per_token = 0.1;
  const auto catalog = ctxmgr::ModelCatalog().with(model);
  Step step;
  step.receipt.model_name = "m";
  step.receipt.input_tokens_used = 100;
  step.receipt.prefix_tokens_kept = 60;
  step.receipt.include_all_tokens = 300;
  Step before = step;
  before.receipt.include_all_tokens = 200;
  price(step, nullptr, catalog);
  EXPECT_DOUBLE_EQ(step.cost_usd, 40 + 6);
  EXPECT_DOUBLE_EQ(step.everything_usd, 300);
  price(step, &before, catalog);
  EXPECT_DOUBLE_EQ(step.everything_usd, 100 + 20);
  step.usage.calls = 1;
  step.usage.prompt_tokens = 110;
  price(step, &before, catalog);
  EXPECT_DOUBLE_EQ(step.cost_usd, 110);  // What the service says goes before what is expected.
}

}  // namespace
}  // namespace ctxpack::view::test
