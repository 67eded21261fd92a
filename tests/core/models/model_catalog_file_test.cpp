#include "core/models/model_catalog_file.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(ModelCatalogFileTest, ReadsLiteLlmsFile) {
  const auto file = read_catalog_file(R"({
    "sample_spec": {"litellm_provider": "one of", "max_tokens": "LEGACY"},
    "gpt-x": {"max_tokens": 16384, "max_input_tokens": 128000, "max_output_tokens": 16384, "input_cost_per_token": 2.5e-06,
              "output_cost_per_token": 1e-05, "cache_read_input_token_cost": 1.25e-06, "litellm_provider": "openai"},
    "old": {"max_tokens": 4096, "input_cost_per_token": 0, "litellm_provider": "local"}})");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->models.size(), 2U);
  const ModelInfo& model = file->models.at("gpt-x");
  EXPECT_EQ(model.context_window_tokens, 128'000);
  EXPECT_EQ(model.max_output_tokens, 16'384);
  EXPECT_DOUBLE_EQ(*model.cached_input_usd_per_token, 1.25e-06);
  EXPECT_EQ(model.min_cached_prefix_tokens, 1'024);
  EXPECT_EQ(model.provider, "openai");
  EXPECT_EQ(file->models.at("old").context_window_tokens, 4'096);
  EXPECT_EQ(file->models.at("old").input_usd_per_token, 0.0);
}

TEST(ModelCatalogFileTest, ReadsModelsDevAndPrefersTheMakerOfAModel) {
  const auto file = read_catalog_file(R"({
    "copilot": {"id": "copilot", "models": {"gpt-x": {"cost": {"input": 0, "output": 0}, "limit": {"context": 64000}}}},
    "openai": {"models": {"gpt-x": {"cost": {"input": 2.5, "output": 10, "cache_read": 1.25, "cache_write": 3},
                                    "limit": {"context": 128000, "output": 16384}}}},
    "reseller": {"models": {"gpt-x": {"cost": {"input": 9}}, "own": {"limit": {"context": 8000}}}}})");
  ASSERT_TRUE(file);
  EXPECT_DOUBLE_EQ(*file->models.at("gpt-x").input_usd_per_token, 2.5e-06);
  EXPECT_DOUBLE_EQ(*file->models.at("gpt-x").cache_write_usd_per_token, 3e-06);
  EXPECT_EQ(file->models.at("gpt-x").max_output_tokens, 16'384);
  EXPECT_EQ(file->models.at("copilot/gpt-x").context_window_tokens, 64'000);
  EXPECT_EQ(file->models.at("own").provider, "reseller");
  EXPECT_FALSE(file->models.at("own").input_usd_per_token);
}

TEST(ModelCatalogFileTest, AbsurdFiguresAreTakenAsUnknown) {
  const auto file = read_catalog_file(R"({"models": {"m": {"context_window_tokens": -5, "max_output_tokens": 1e300,
    "input_usd_per_million": -1, "output_usd_per_million": 1e9, "cached_input_usd_per_million": "free"}}})");
  ASSERT_TRUE(file);
  const ModelInfo& model = file->models.at("m");
  EXPECT_EQ(model.context_window_tokens, ModelInfo{}.context_window_tokens);
  EXPECT_EQ(model.max_output_tokens, ModelInfo{}.max_output_tokens);
  EXPECT_FALSE(model.input_usd_per_token);
  EXPECT_FALSE(model.output_usd_per_token);
  EXPECT_FALSE(model.cached_input_usd_per_token);
}

TEST(ModelCatalogFileTest, RefusesWhatHoldsNoModels) {
  for (const char* text :
       {"", "{}", "[]", "7", "{\"models\":{}}", "{\"models\":[]}", "{\"a\":{\"b\":1}}", "{\"a\":[{}]}"}) {
    const auto file = read_catalog_file(text);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code, ErrorCode::invalid_argument);
  }
}

}  // namespace
}  // namespace ctxmgr
