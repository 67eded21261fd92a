#include "core/models/similar_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ctxmgr/core/model_catalog.hpp"

namespace ctxmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> similar(std::string_view model) { return ModelCatalog().similar(model); }

TEST(SimilarModelsTest, AMisspeltNameHasTheThreeThatAreNearest) {
  EXPECT_THAT(similar("openai/Gtp-4o-mini"), ElementsAre("gpt-4o-mini", ::testing::_, ::testing::_));
  EXPECT_THAT(similar("gtp-5.6"),
              ElementsAre("gpt-5.6", ::testing::StartsWith("gpt-5"), ::testing::StartsWith("gpt-5")));
  EXPECT_THAT(similar("claude-sonet-5"), ElementsAre("claude-sonnet-5", ::testing::_, ::testing::_));
}

TEST(SimilarModelsTest, AStrangeNameHasNone) {
  for (const auto& name : {std::string("our-harbour-master-of-ceremonies"), std::string(100'000, 'x'), std::string()})
    EXPECT_THAT(similar(name), IsEmpty());
}

TEST(SimilarModelsTest, AHostsOwnEntryIsAmongThem) {
  ModelInfo own;
  own.model = "harbour-large";
  EXPECT_THAT(ModelCatalog().with(own).similar("harbor-large"), ElementsAre("harbour-large"));
}

}  // namespace
}  // namespace ctxmgr
