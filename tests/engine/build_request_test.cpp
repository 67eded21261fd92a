#include "ctxmgr/engine/build_request.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ctxmgr {
namespace {

class ModelConfigTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("CONTEXT_PLANNER_MODEL");
    unsetenv("SUMMARIZER_MODEL");
  }
};

TEST_F(ModelConfigTest, WithoutNamesTheClientsOwnModelDoesEverything) {
  const ModelConfig models;
  EXPECT_EQ(models.primary + models.context_planner + models.summarizer, "");
}

TEST_F(ModelConfigTest, CheapModelsPlanAndSummarizeForTheModelOfARequest) {
  const auto models = ModelConfig::from_request("gpt-4o");
  EXPECT_EQ(models.primary, "gpt-4o");
  EXPECT_EQ(models.context_planner, "gpt-4o-mini");
  EXPECT_EQ(models.summarizer, "gpt-4o-mini");
}

TEST_F(ModelConfigTest, DefaultsOfTheHostStandInForOurs) {
  const auto models = ModelConfig::from_request("gpt-4o", {"unused", "planner", "summarizer"});
  EXPECT_EQ(models.primary, "gpt-4o");
  EXPECT_EQ(models.context_planner, "planner");
  EXPECT_EQ(models.summarizer, "summarizer");
}

TEST_F(ModelConfigTest, TheEnvironmentNamesPlannerAndSummarizer) {
  setenv("CONTEXT_PLANNER_MODEL", "small", 1);
  setenv("SUMMARIZER_MODEL", "", 1);
  const auto models = ModelConfig::from_environment("large");
  EXPECT_EQ(models.primary, "large");
  EXPECT_EQ(models.context_planner, "small");
  EXPECT_EQ(models.summarizer, "gpt-4o-mini");
}

TEST_F(ModelConfigTest, APrimaryIsExpensiveAboveTheThresholdOnly) {
  ModelInfo info;
  info.model = "dear";
  info.input_usd_per_token = 0.000015;
  const auto catalog = ModelCatalog().with(info);
  EXPECT_TRUE(ModelConfig::single("dear").is_expensive_primary(catalog));
  EXPECT_FALSE(ModelConfig::single("dear").is_expensive_primary(catalog, 0.000015));
}

TEST_F(ModelConfigTest, AModelWithoutAPriceIsNotExpensive) {
  EXPECT_FALSE(ModelConfig::single("nobody-knows-this-model").is_expensive_primary(ModelCatalog()));
}

}  // namespace
}  // namespace ctxmgr
