#include "ctxmgr/core/metadata.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ctxmgr {
namespace {

TEST(MetadataTest, TotalsIncludeThePlanningBeforeTheCall) {
  ContextUtilizationMetadata context;
  context.planning_usage.planner = {1'000, 0, 0, 100, 1};
  context.planning_usage.summarizer = {500, 0, 0, 50, 2};
  context.planning_cost = {0.001, 0.002, 0};
  ModelInfo primary;
  primary.model = "m";
  primary.input_usd_per_token = 0.00001;
  primary.output_usd_per_token = 0.00002;
  const ResponseMetadata response = make_response_metadata(context, {2'000, 0, 0, 300, 1}, primary);
  EXPECT_EQ(response.model, "m");
  EXPECT_EQ(response.usage.total_tokens(), 2'300);
  EXPECT_EQ(response.total_usage.prompt_tokens, 3'500);
  EXPECT_EQ(response.total_usage.calls, 4);
  EXPECT_DOUBLE_EQ(response.cost.total_cost_usd(), 0.026);
  EXPECT_DOUBLE_EQ(response.total_cost_usd, 0.029);
}

TEST(MetadataTest, SumsOfAbsurdUsageStayBetweenZeroAndTheLargestNumber) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ((UsageMetadata{most, 0, 0, 1, 0} + UsageMetadata{1, 0, 0, 1, 0}).prompt_tokens, most);
  EXPECT_EQ((UsageMetadata{least, 0, 0, 1, 0} + UsageMetadata{-1, 0, 0, 1, 0}).prompt_tokens, 0);
  EXPECT_EQ((UsageMetadata{} + UsageMetadata{7, -5, 0, -1, -2}).cached_prompt_tokens, 0);
  EXPECT_EQ((UsageMetadata{7, 0, 0, -1, 0}).total_tokens(), 7);
  EXPECT_EQ((UsageMetadata{most, 0, 0, 1, 0}).total_tokens(), most);
}

}  // namespace
}  // namespace ctxmgr
