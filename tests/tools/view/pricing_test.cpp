#include "view/pricing.hpp"

#include <gtest/gtest.h>

namespace ctxpack::view::test {
namespace {

TEST(PricingTest, BothSidesAreCountedWithACache) {
  ctxmgr::ModelInfo model;
  model.model = "m";
  model.input_usd_per_token = 1;
  model.cached_input_usd_per_token = 0.1;
  model.cache_write_usd_per_token = 2;
  model.min_cached_prefix_tokens = 50;
  const auto catalog = ctxmgr::ModelCatalog().with(model);
  Step step;
  step.receipt.model_name = "m";
  step.receipt.input_tokens_used = 100;
  step.receipt.prefix_tokens_kept = 60;
  step.receipt.include_all_tokens = 300;
  Step before = step;
  before.receipt.include_all_tokens = 200;
  price(step, nullptr, catalog);
  EXPECT_DOUBLE_EQ(step.cost_usd, 40 * 2 + 60 * 0.1);
  EXPECT_DOUBLE_EQ(step.everything_usd, 300 * 2) << "what the cache does not have is written to it";
  EXPECT_EQ(step.cached_tokens, 60);
  EXPECT_EQ(step.input_tokens, 100);
  price(step, &before, catalog);
  EXPECT_DOUBLE_EQ(step.everything_usd, 100 * 2 + 200 * 0.1);
  step.usage.calls = 1;
  step.usage.prompt_tokens = 110;
  price(step, &before, catalog);
  EXPECT_DOUBLE_EQ(step.cost_usd, 110);  // What the service says goes before what is expected.
  EXPECT_EQ(step.cached_tokens, 0);
}

TEST(PricingTest, TooShortABeginningIsNotCachedAndWithoutACacheNothingIs) {
  ctxmgr::ModelInfo model;
  model.min_cached_prefix_tokens = 50;
  Step step;
  step.receipt.input_tokens_used = 100;
  step.receipt.tools_tokens = 10;
  step.receipt.prefix_tokens_kept = 39;
  EXPECT_EQ(cached_of(step, model).tokens, 0);
  step.receipt.prefix_tokens_kept = 40;
  EXPECT_EQ(cached_of(step, model).tokens, 50) << "tools stand before the messages";
  model.min_cached_prefix_tokens = 0;
  EXPECT_EQ(cached_of(step, model).tokens, 0);
}

TEST(PricingTest, SummariesHaveThePriceOfTheirOwnModelIfItIsKnown) {
  ctxmgr::ModelInfo model;
  model.model = "small";
  model.input_usd_per_token = 1;
  model.output_usd_per_token = 4;
  const auto catalog = ctxmgr::ModelCatalog().with(model);
  auto sum = priced("small", {100, 0, 0, 10, 2}, catalog);
  EXPECT_EQ(sum.usd, 140);
  EXPECT_EQ(priced("small", {0, 0, 0, 0, 2}, catalog).usd, std::nullopt) << "the service reported no tokens";
  add(sum, priced("small", {10, 0, 0, 0, 1}, catalog));
  EXPECT_EQ(sum.usd, 150);
  EXPECT_EQ(sum.usage.calls, 3);
  add(sum, {});
  EXPECT_EQ(sum.usd, 150);
  add(sum, priced("our-own", {10, 0, 0, 0, 1}, catalog));
  EXPECT_EQ(sum.usd, std::nullopt) << "of a part it is not known";
  EXPECT_EQ(sum.usage.prompt_tokens, 120);
}

}  // namespace
}  // namespace ctxpack::view::test
