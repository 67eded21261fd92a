#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using testing::decision;
using testing::ManualClock;
using testing::planner_reply;
using testing::saying;
using testing::words;

/// A service whose every call takes 100 tokens, and how it was called.
class Service final : public LlmClient {
 public:
  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    return complete_all({request}, call).front();
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& /*call*/) override {
    {
      const std::scoped_lock lock(mutex);
      batches.push_back(requests.size());
      for (const auto& request : requests) ++calls[request.scope];
    }
    if (during) std::exchange(during, nullptr)();
    return std::vector<Result<LlmResponse>>(requests.size(), answer);
  }

  Result<LlmResponse> answer = saying("fine", 100);
  std::function<void()> during;  // the first call
  std::mutex mutex;
  std::vector<std::size_t> batches;
  std::map<std::string, int> calls;  // by scope
};

LlmRequest summary_for(const std::string& scope) {
  LlmRequest request;
  request.messages = {{Role::user, "Summarise."}};
  request.purpose = LlmPurpose::summarization;
  request.scope = scope;
  return request;
}

class TenantLimitedLlmClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<LlmClient> limited(TenantLimitOptions options) {
    options.clock = clock_;
    return make_tenant_limited_llm_client(service_, options);
  }
  static bool is_refused(const Result<LlmResponse>& reply) {
    return !reply && reply.error().code == ErrorCode::limit_exceeded;
  }

  /// How many calls in a row a tenant may make.
  static int calls_until_refused(LlmClient& client, const std::string& scope) {
    int made = 0;
    while (made < 1'000 && !is_refused(client.complete(summary_for(scope), {}))) ++made;
    return made;
  }

  std::shared_ptr<Service> service_ = std::make_shared<Service>();
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(TenantLimitedLlmClientTest, ATenantThatHasUsedUpItsTokensIsRefusedAndTheOthersAreNot) {
  const auto client = limited({1'000, milliseconds(60'000)});
  EXPECT_EQ(calls_until_refused(*client, "a"), 10);
  EXPECT_EQ(calls_until_refused(*client, "b"), 10);
  EXPECT_EQ(service_->calls["a"], 10) << "what is refused is not asked";
}

TEST_F(TenantLimitedLlmClientTest, TokensComeBackEvenly) {
  const auto client = limited({1'000, milliseconds(60'000)});
  EXPECT_EQ(calls_until_refused(*client, "a"), 10);
  clock_->advance(milliseconds(6'000));
  EXPECT_EQ(calls_until_refused(*client, "a"), 1);
  clock_->advance(milliseconds(3'600'000));
  EXPECT_EQ(calls_until_refused(*client, "a"), 10) << "and no more than all of them";
}

TEST_F(TenantLimitedLlmClientTest, BeforeAReplyACallCountsAsWhatItMayTake) {
  const auto client = limited({1'000, milliseconds(60'000)});
  auto large = summary_for("a");
  large.max_output_tokens = 600;
  service_->during = [&] { EXPECT_TRUE(is_refused(client->complete(large, {}))) << "while the first is under way"; };
  EXPECT_TRUE(client->complete(large, {}));
  EXPECT_TRUE(client->complete(large, {})) << "the first took 100";
}

TEST_F(TenantLimitedLlmClientTest, WhatFailsCostsNothingAndWhatReportsNothingItsEstimate) {
  const auto client = limited({1'000, milliseconds(60'000)});
  auto large = summary_for("a");
  large.max_output_tokens = 600;
  service_->answer = fail(ErrorCode::unavailable, "down");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client->complete(large, {}).error().code, ErrorCode::unavailable);
  service_->answer = saying("fine", 0);
  EXPECT_TRUE(client->complete(large, {}));
  EXPECT_TRUE(is_refused(client->complete(large, {})));
}

TEST_F(TenantLimitedLlmClientTest, TheHostsOwnCallsGoThrough) {
  const auto client = limited({10, milliseconds(60'000), 1});
  LlmRequest own;
  own.scope = "a";
  own.max_output_tokens = 10'000;
  EXPECT_TRUE(client->complete(own, {}));
  auto mixed = std::vector<LlmRequest>{own, summary_for("a"), own};
  mixed[1].max_output_tokens = 10'000;
  const auto replies = client->complete_all(mixed, {});
  EXPECT_TRUE(replies[0] && is_refused(replies[1]) && replies[2]);
}

TEST_F(TenantLimitedLlmClientTest, ABatchRunsInRoundsOfWhatMayRunAtATime) {
  const auto client = limited({0, milliseconds(60'000), 4});
  for (const auto& reply : client->complete_all(std::vector<LlmRequest>(10, summary_for("a")), {})) EXPECT_TRUE(reply);
  EXPECT_EQ(service_->batches, (std::vector<std::size_t>{4, 4, 2}));
}

TEST_F(TenantLimitedLlmClientTest, WhereNothingMayRunACallIsRefusedWithoutWaiting) {
  const auto client = limited({0, milliseconds(60'000), 1});
  service_->during = [&] {
    EXPECT_TRUE(is_refused(client->complete(summary_for("a"), {})));
    EXPECT_TRUE(client->complete(summary_for("b"), {})) << "another tenant's";
  };
  EXPECT_TRUE(client->complete(summary_for("a"), {}));
  EXPECT_TRUE(client->complete(summary_for("a"), {})) << "once the first is done";
}

TEST_F(TenantLimitedLlmClientTest, SessionsOfOneTenantShareItsTokens) {
  TenantLimitOptions options;
  options.max_tokens = 1'000;
  options.tenant_of = [](const std::string& scope) { return scope.substr(0, scope.find('/')); };
  const auto client = limited(options);
  EXPECT_EQ(calls_until_refused(*client, "a/1"), 10);
  EXPECT_EQ(calls_until_refused(*client, "a/2"), 0);
  EXPECT_EQ(calls_until_refused(*client, "b/1"), 10);
}

TEST_F(TenantLimitedLlmClientTest, ManyTenantsThatRestDoNotChangeWhatIsCounted) {
  const auto client = limited({1'000, milliseconds(60'000)});
  EXPECT_EQ(calls_until_refused(*client, "a"), 10);
  clock_->advance(milliseconds(7'000));
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(client->complete(summary_for(std::to_string(i)), {}));
    clock_->advance(milliseconds(1));
  }
  EXPECT_EQ(calls_until_refused(*client, "a"), 2);
}

TEST_F(TenantLimitedLlmClientTest, AnExceptionOfTheServiceIsAFailure) {
  const auto client = make_tenant_limited_llm_client(
      make_llm_client([](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> { throw 42; }), {});
  EXPECT_EQ(client->complete(summary_for("a"), {}).error().code, ErrorCode::internal);
}

/// Builds of several tenants that share a manager, over limits.
class TenantLimitsOfBuildsTest : public testing::BuildTest {
 protected:
  TenantLimitsOfBuildsTest() {
    service_->answer = saying(planner_reply(decision("a1", "rag_extract", "filler", 200)), 3'000);
    limits_.clock = clock_;
    say(Role::user, "What about filler3?");
    attach("long", words(3'000));
    request_.planning.mode = PlannerMode::llm;
    request_.budget.max_input_tokens = 900;
  }

  Result<BuiltContext> build_for(const ContextManager& manager, const std::string& scope) const {
    auto request = request_;
    request.scope = scope;
    return manager.build(context_, request);
  }
  ContextManager manager() {
    options_.client = make_tenant_limited_llm_client(service_, limits_);
    return ContextManager(options_);
  }

  std::shared_ptr<Service> service_ = std::make_shared<Service>();
  TenantLimitOptions limits_;
};

TEST_F(TenantLimitsOfBuildsTest, ARefusedPlanIsMadeWithoutAModelAndTheReceiptSaysWhy) {
  limits_.max_tokens = 4'000;  // a plan's estimate is below
  const auto limited = manager();
  ASSERT_EQ(build_for(limited, "a")->metadata.plan_source, PlanSource::llm);
  const auto built = build_for(limited, "a");
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
  EXPECT_EQ(built->metadata.plan_reason, "the planner failed: the tenant has used up its tokens");
  EXPECT_EQ(built->metadata.artifacts_total, 1U);
  EXPECT_EQ(built->metadata.planning_usage.total().total_tokens(), 0);
  EXPECT_EQ(build_for(limited, "b")->metadata.plan_source, PlanSource::llm);
  clock_->advance(limits_.window);
  EXPECT_EQ(build_for(limited, "a")->metadata.plan_source, PlanSource::llm);
}

TEST_F(TenantLimitsOfBuildsTest, ARefusedSummaryIsAnExtractAndTheReceiptSaysWhy) {
  service_->answer = saying(planner_reply(decision("a1", "summarize", "", 200)), 3'000);
  limits_.max_tokens = 4'000;  // a plan's estimate is below
  const auto built = build_for(manager(), "a");
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::llm);
  EXPECT_TRUE(testing::contains(built->metadata.artifacts_processed.at(0).reason,
                                "extracted: the tenant has used up its tokens"));
  EXPECT_EQ(built->metadata.artifacts_transformed, 1U);
}

TEST_F(TenantLimitsOfBuildsTest, AHostThatWantsToKnowGetsTheRefusal) {
  limits_.max_tokens = 1;
  request_.planning.mode = PlannerMode::llm_or_fail;
  EXPECT_EQ(build_for(manager(), "a").error().code, ErrorCode::limit_exceeded);
}

/// One tenant floods from many threads; what another one gets is what it gets alone.
TEST(TenantLimitsThreadsTest, AFloodOfOneTenantTakesNothingFromAnother) {
  constexpr int flooding = 6;
  constexpr int builds = 40;
  const auto service = std::make_shared<Service>();
  service->answer = saying(planner_reply(decision("a1", "rag_extract", "filler", 200)), 1'000);
  TenantLimitOptions limits;
  limits.clock = std::make_shared<ManualClock>();
  limits.max_tokens = builds * 1'500;  // a plan's estimate is below
  limits.max_parallel = 1;
  ContextManagerOptions options;
  options.clock = limits.clock;
  options.client = make_tenant_limited_llm_client(service, limits);
  const ContextManager manager(options);
  Context context;
  context.conversation_history.push_back({Role::user, "What about filler3?"});
  context.artifacts.push_back(make_document("long", words(3'000)));

  std::map<std::string, std::atomic<int>> planned;
  planned["flood"] = planned["quiet"] = 0;
  std::atomic<int> failed{0};
  const auto run = [&](const std::string& scope, int count) {
    BuildRequest request;
    request.scope = scope;
    request.planning.mode = PlannerMode::llm;
    request.budget.max_input_tokens = 900;
    for (int i = 0; i < count; ++i) {
      const auto built = manager.build(context, request);
      failed += !built;
      planned.at(scope) += built && built->metadata.plan_source == PlanSource::llm;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < flooding; ++i) threads.emplace_back(run, "flood", builds);
  threads.emplace_back(run, "quiet", builds);
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(failed, 0) << "who is refused a model is built without one";
  EXPECT_EQ(planned["quiet"], builds) << "every plan of the other tenant was made by the model";
  EXPECT_LE(service->calls["flood"], builds * 3 / 2) << "of " << flooding * builds;
  EXPECT_EQ(service->calls["flood"], planned["flood"]);
}

}  // namespace
}  // namespace ctxmgr
