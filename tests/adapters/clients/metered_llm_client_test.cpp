#include <gtest/gtest.h>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

using testing::ScriptedLlmClient;

ModelCatalog catalog() {
  ModelInfo info;
  info.model = "priced";
  info.input_usd_per_token = 0.001;
  info.output_usd_per_token = 0.01;
  info.known = true;
  return ModelCatalog().with(info);
}

LlmResponse reply_of(std::string model) {
  LlmResponse response;
  response.model = std::move(model);
  response.usage = {100, 0, 0, 10, 1};
  return response;
}

TEST(MeteredLlmClientTest, AddsUsageAndCostByPurpose) {
  const auto script = std::make_shared<ScriptedLlmClient>();
  script->then_reply(reply_of("priced")).then_reply(reply_of("priced")).then_fail({ErrorCode::unavailable, ""});
  const auto meter = std::make_shared<CostMeter>();
  const auto client = make_metered_llm_client(script, meter, catalog());
  LlmRequest plan;
  plan.purpose = LlmPurpose::context_planning;
  (void)client->complete(plan, {});
  (void)client->complete_all({{}, {}}, {});
  EXPECT_EQ(meter->usage().calls, 2);
  EXPECT_EQ(meter->usage().prompt_tokens, 200);
  EXPECT_EQ(meter->usage(LlmPurpose::context_planning).prompt_tokens, 100);
  EXPECT_EQ(meter->usage(LlmPurpose::summarization).calls, 0);
  EXPECT_NEAR(meter->cost().total_cost_usd(), 0.4, 1e-9);
  EXPECT_NEAR(meter->cost(LlmPurpose::host).completion_cost_usd, 0.1, 1e-9);
}

TEST(MeteredLlmClientTest, AnUnknownAnswererIsPricedAsWhatWasAskedFor) {
  const auto script = std::make_shared<ScriptedLlmClient>();
  script->then_reply(reply_of("deployment-7")).then_reply(reply_of("deployment-7"));
  const auto meter = std::make_shared<CostMeter>();
  const auto client = make_metered_llm_client(script, meter, catalog());
  LlmRequest request;
  (void)client->complete(request, {});
  EXPECT_EQ(meter->cost().total_cost_usd(), 0);
  request.model = "priced";
  (void)client->complete(request, {});
  EXPECT_NEAR(meter->cost().total_cost_usd(), 0.2, 1e-9);
}

}  // namespace
}  // namespace ctxmgr
