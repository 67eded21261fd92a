#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::words;

class BuildStagesTest : public testing::BuildTest {};

TEST_F(BuildStagesTest, ADeadlineThatPassesWhileThePlannerThinksCostsThePlan) {
  options_.client = make_llm_client([this](const LlmRequest&, const CallOptions& call) -> Result<LlmResponse> {
    clock_->advance(std::chrono::seconds(60));
    EXPECT_TRUE(call.deadline && clock_->steady_now() >= *call.deadline);
    return fail(ErrorCode::deadline_exceeded, "too slow");
  });
  say(Role::user, "question");
  attach("long", words(3'000));
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
}

TEST_F(BuildStagesTest, ACallCountsAlsoWhereAClientDoesNotSaySo) {
  options_.client = make_llm_client([](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    LlmResponse response;
    response.message = {Role::assistant, testing::planner_reply(testing::decision("a1", "exclude"))};
    return response;
  });
  say(Role::user, "question");
  attach("long", words(3'000));
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::llm);
  EXPECT_EQ(built->metadata.planning_usage.planner.calls, 1);
}

TEST_F(BuildStagesTest, CancellingDuringACallCancelsTheBuild) {
  bool cancelled = false;
  options_.client = make_llm_client([&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    cancelled = true;
    return fail(ErrorCode::cancelled, "cancelled");
  });
  say(Role::user, "question");
  attach("long", words(3'000));
  const auto built = build(2'000, {CancellationToken([&] { return cancelled; }), {}});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace ctxmgr
