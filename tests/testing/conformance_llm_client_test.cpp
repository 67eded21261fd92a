#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "ctxmgr/testing/conformance.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LlmResponse echo(const LlmRequest& request) {
  LlmResponse response;
  response.message.role = Role::assistant;
  response.message.content = text_of(request.messages.front());
  response.usage.calls = 1;
  return response;
}

Result<LlmResponse> honest(const LlmRequest& request, const CallOptions& call) {
  if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "");
  return echo(request);
}

/// Gives the replies of `complete_all` in the wrong order.
class ReversingClient final : public LlmClient {
 public:
  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    return honest(request, call);
  }
  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    auto results = LlmClient::complete_all(requests, call);
    std::reverse(results.begin(), results.end());
    return results;
  }
};

TEST(ConformanceLlmClientTest, AClientThatKeepsItsPromisesPasses) {
  EXPECT_THAT(check_llm_client(*make_llm_client(honest)), IsEmpty());
}

TEST(ConformanceLlmClientTest, TheScriptedClientPasses) {
  ScriptedLlmClient client;
  for (int i = 0; i < 20; ++i) client.then_reply("a reply");
  EXPECT_THAT(check_llm_client(client), IsEmpty());
}

TEST(ConformanceLlmClientTest, NoticesCancellationThatIsIgnored) {
  const auto client = make_llm_client([](const LlmRequest& request, const CallOptions&) { return echo(request); });
  EXPECT_THAT(check_llm_client(*client), Contains(HasSubstr("does not give cancelled")));
}

TEST(ConformanceLlmClientTest, NoticesRepliesInTheWrongOrder) {
  ReversingClient client;
  EXPECT_THAT(check_llm_client(client), Contains(HasSubstr("wrong request")));
}

TEST(ConformanceLlmClientTest, NoticesAWrongRoleAndMissingCounts) {
  const auto client = make_llm_client([](const LlmRequest&, const CallOptions& call) -> Result<LlmResponse> {
    if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "");
    return LlmResponse{};
  });
  const auto broken = check_llm_client(*client);
  EXPECT_THAT(broken, Contains(HasSubstr("role is not assistant")));
  EXPECT_THAT(broken, Contains(HasSubstr("count one call")));
}

TEST(ConformanceLlmClientTest, NoticesAPastDeadlineThatBecomesAnotherError) {
  const auto client = make_llm_client([](const LlmRequest& request, const CallOptions& call) -> Result<LlmResponse> {
    if (call.deadline) return fail(ErrorCode::unavailable, "too late");
    return honest(request, call);
  });
  EXPECT_THAT(check_llm_client(*client), Contains(HasSubstr("deadline")));
}

TEST(ConformanceLlmClientTest, NoticesAnException) {
  class ThrowingClient final : public LlmClient {
   public:
    Result<LlmResponse> complete(const LlmRequest&, const CallOptions&) override { throw std::runtime_error("no"); }
  };
  ThrowingClient client;
  EXPECT_THAT(check_llm_client(client), Contains(HasSubstr("threw")));
}

}  // namespace
}  // namespace ctxmgr::testing
