#include "adapters/clients/safe_calls.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

TEST(SafeCallsTest, ADecoratorAroundNoClientSaysSo) {
  const auto some = std::make_shared<testing::ScriptedLlmClient>();
  some->then_fail({ErrorCode::unavailable, "down"});
  std::vector<std::unique_ptr<LlmClient>> clients;
  clients.push_back(make_circuit_breaking_llm_client(nullptr));
  clients.push_back(make_fallback_llm_client(nullptr, nullptr));
  clients.push_back(make_fallback_llm_client(some, nullptr));
  clients.push_back(make_metered_llm_client(nullptr, nullptr));
  clients.push_back(make_tenant_limited_llm_client(nullptr));
  for (const auto& client : clients) {
    EXPECT_EQ(client->complete({}, {}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(client->complete_all({{}, {}}, {}).back().error().code, ErrorCode::invalid_argument);
  }
  EXPECT_EQ(make_recording_llm_client(nullptr, "/dev/null").error().code, ErrorCode::invalid_argument);
}

TEST(SafeCallsTest, AClientThatMiscountsItsRepliesGivesNone) {
  class Miscounting final : public LlmClient {
   public:
    Result<LlmResponse> complete(const LlmRequest&, const CallOptions&) override { throw 7; }
    std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>&, const CallOptions&) override {
      return {LlmResponse{}};
    }
  } client;
  const auto results = complete_all_safely(client, {{}, {}}, {});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].error().code, ErrorCode::internal);
  EXPECT_EQ(complete_safely(client, {}, {}).error().code, ErrorCode::internal);
}

}  // namespace
}  // namespace ctxmgr
