#include "ctxmgr/core/model_catalog.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <utility>

namespace ctxmgr {
namespace {

TEST(ModelCatalogTest, TheSnapshotKnowsWindowsPricesAndVocabularies) {
  const ModelInfo model = ModelCatalog().find("gpt-4o-mini");
  EXPECT_TRUE(model.known);
  EXPECT_EQ(model.provider, "openai");
  EXPECT_EQ(model.context_window_tokens, 128'000);
  EXPECT_EQ(model.tokenizer, "o200k_base");
  EXPECT_NEAR(model.input_usd_per_token.value(), 0.15e-6, 1e-12);
  EXPECT_NEAR(model.cached_input_usd_per_token.value(), 0.075e-6, 1e-12);
  EXPECT_EQ(model.min_cached_prefix_tokens, 1'024);
  EXPECT_EQ(ModelCatalog().as_of().size(), 10U);
}

TEST(ModelCatalogTest, TheSnapshotHasTheShortestCachedPrefixOfEachModel) {
  const ModelCatalog catalog;
  const std::pair<const char*, std::int64_t> least[] = {{"claude-opus-5-5", 512},          {"claude-fable-5-1", 512},
                                                        {"claude-mythos-5", 512},          {"claude-opus-4-8", 1'024},
                                                        {"claude-sonnet-4-6", 1'024},      {"claude-opus-4-7", 2'048},
                                                        {"claude-3-haiku", 2'048},         {"claude-haiku-4-5", 4'096},
                                                        {"claude-opus-4-6", 4'096},        {"gemini-2.5-flash", 2'048},
                                                        {"gemini-2.5-pro", 2'048},         {"gemini-3.8-flash", 4'096},
                                                        {"gemini-3.1-pro-preview", 4'096}, {"gpt-5.6", 1'024}};
  for (const auto& [name, tokens] : least) EXPECT_EQ(catalog.find(name).min_cached_prefix_tokens, tokens) << name;
}

TEST(ModelCatalogTest, TheSnapshotHasThePriceOfTheCache) {
  const ModelCatalog catalog;
  for (const char* const name : {"gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-flash-preview", "gemini-3.8-flash"}) {
    const auto model = catalog.find(name);
    EXPECT_NEAR(*model.cached_input_usd_per_token, 0.1 * *model.input_usd_per_token, 1e-12) << name;
  }
  for (const char* const name : {"claude-opus-5-5", "claude-haiku-4-5", "gpt-5.6", "gpt-6-sol"}) {
    const auto model = catalog.find(name);
    EXPECT_NEAR(*model.cache_write_usd_per_token, 1.25 * *model.input_usd_per_token, 1e-12) << name;
  }
  EXPECT_FALSE(catalog.find("gpt-5").cache_write_usd_per_token);
}

TEST(ModelCatalogTest, VersionedAndPrefixedNamesFindTheirBaseModel) {
  const ModelCatalog catalog;
  for (const char* name : {"gpt-4o", "gpt-4o-2024-08-06", "openai/gpt-4o", "azure/gpt-4o", "GPT-4o"}) {
    EXPECT_EQ(catalog.find(name).model, "gpt-4o") << name;
  }
  EXPECT_EQ(catalog.find("anthropic.claude-sonnet-4-20250514-v1:0").model, "claude-sonnet-4");
  EXPECT_EQ(catalog.find("anthropic/claude-sonnet-4.5").model, "claude-sonnet-4-5");
  EXPECT_EQ(catalog.find("gpt-4-0613").model, "gpt-4");
}

TEST(ModelCatalogTest, AnUnknownModelGetsDefaultsAndNoPrice) {
  const ModelInfo model = ModelCatalog().find("my-local-model");
  EXPECT_FALSE(model.known);
  EXPECT_EQ(model.model, "my-local-model");
  EXPECT_EQ(model.context_window_tokens, 128'000);
  EXPECT_FALSE(model.input_usd_per_token);
  EXPECT_FALSE(ModelCatalog().find("").known);
}

TEST(ModelCatalogTest, WithAddsOrReplacesWithoutTouchingTheOriginal) {
  const ModelCatalog base;
  ModelInfo info;
  info.model = "My-Model";
  info.context_window_tokens = 4'096;
  const ModelCatalog extended = base.with(info);
  EXPECT_EQ(extended.find("vllm/my-model").context_window_tokens, 4'096);
  EXPECT_TRUE(extended.find("my-model").known);
  EXPECT_FALSE(base.find("my-model").known);
  info.model = "gpt-4o";
  EXPECT_EQ(base.with(info).find("gpt-4o").context_window_tokens, 4'096);
  EXPECT_EQ(extended.as_of(), base.as_of());
}

TEST(ModelCatalogTest, ParseGivesACatalogueOfItsOwn) {
  const auto catalog = ModelCatalog::parse(R"({"as_of":"2026-01-02","models":{"m":{"context_window_tokens":10}}})");
  ASSERT_TRUE(catalog);
  EXPECT_EQ(catalog->as_of(), "2026-01-02");
  EXPECT_EQ(catalog->find("m").context_window_tokens, 10);
  EXPECT_FALSE(catalog->find("gpt-4o").known);
  EXPECT_FALSE(ModelCatalog::parse("nonsense"));
}

TEST(ModelCatalogTest, CostPricesCachedInputAndCacheWritesApart) {
  ModelInfo model;
  model.input_usd_per_token = 1.0;
  model.output_usd_per_token = 10.0;
  EXPECT_DOUBLE_EQ(cost_of({100, 50, 20, 2, 1}, model).total_cost_usd(), 120.0);
  model.cached_input_usd_per_token = 0.1;
  model.cache_write_usd_per_token = 1.25;
  EXPECT_DOUBLE_EQ(cost_of({100, 50, 20, 2, 1}, model).prompt_cost_usd, 30 + 5 + 25);
  EXPECT_DOUBLE_EQ(cost_of({100, 0, 0, 2, 1}, ModelInfo{}).total_cost_usd(), 0.0);
}

TEST(ModelCatalogTest, CostIsNeverNegativeWhateverTheServiceReports) {
  ModelInfo model;
  model.input_usd_per_token = 1e-6;
  model.cached_input_usd_per_token = 1e-7;
  model.output_usd_per_token = 1e-5;
  rc::check([&model](std::int64_t prompt, std::int64_t cached, std::int64_t written, std::int64_t completion) {
    RC_ASSERT(cost_of({prompt, cached, written, completion, 1}, model).total_cost_usd() >= 0);
  });
}

TEST(ModelCatalogTest, WhatCannotBeAPriceOrALimitIsNotTaken) {
  using Limits = std::numeric_limits<double>;
  for (const double price : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -1e-9}) {
    ModelInfo model;
    model.model = "m";
    model.input_usd_per_token = price;
    model.output_usd_per_token = price;
    model.cached_input_usd_per_token = price;
    model.cache_write_usd_per_token = price;
    model.context_window_tokens = -1;
    model.max_output_tokens = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(cost_of({100, 50, 20, 2, 1}, model).total_cost_usd(), 0) << price;
    const auto found = ModelCatalog().with(model).find("m");
    EXPECT_FALSE(found.input_usd_per_token || found.output_usd_per_token || found.cached_input_usd_per_token ||
                 found.cache_write_usd_per_token)
        << price;
    EXPECT_EQ(found.context_window_tokens, ModelInfo{}.context_window_tokens);
    EXPECT_EQ(found.max_output_tokens, ModelInfo{}.max_output_tokens);
  }
}

}  // namespace
}  // namespace ctxmgr
