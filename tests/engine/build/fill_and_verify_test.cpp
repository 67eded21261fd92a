#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

class BuildFinishTest : public testing::BuildTest {
 protected:
  std::vector<std::int64_t> thresholds_;

  void observe_thresholds() {
    options_.observer = make_observer([this](const Event& event) {
      if (event.kind == EventKind::budget_threshold)
        thresholds_.push_back(std::get<std::int64_t>(event.fields[0].value));
    });
  }
};

TEST_F(BuildFinishTest, TheIndexSaysHowManyMoreThereAre) {
  say(Role::user, "question");
  for (int i = 0; i < 200; ++i) attach("document_" + std::to_string(i), words(150));
  const auto built = build(1'500);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), " more\n"));
}

TEST_F(BuildFinishTest, AGrowingThreadIsReportedOnceAtEachThreshold) {
  observe_thresholds();
  say(Role::user, "start");
  for (int turn = 0; turn < 60; ++turn) {
    const auto built = build(1'000);
    ASSERT_TRUE(built);
    if (built->metadata.messages_excluded > 0) break;
    request_.thread_state = built->thread_state;
    say(Role::assistant, words(10));
  }
  EXPECT_EQ(thresholds_, (std::vector<std::int64_t>{70, 85, 95}));
}

TEST_F(BuildFinishTest, ADeadlineThatPassesWhileThePlannerThinksCostsThePlan) {
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

TEST_F(BuildFinishTest, CancellingDuringACallCancelsTheBuild) {
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

TEST_F(BuildFinishTest, ExcerptsOfMaskedResultsGiveWayBeforeMessagesDo) {
  say(Role::user, "Find the zebra clause.");
  for (int i = 0; i < 12; ++i) {
    add(testing::tool_call("c" + std::to_string(i)));
    add(testing::tool_result("c" + std::to_string(i), "zebra clause " + words(80)));
  }
  for (std::int64_t budget = 300; budget < 2'000; budget += 50) {
    const auto built = build(budget);
    ASSERT_TRUE(built) << budget;
    EXPECT_LE(built->metadata.input_tokens_used, budget);
  }
}

TEST_F(BuildFinishTest, ExcerptsThatCountMoreTogetherBecomeFewer) {
  options_.token_counters = {make_token_counter([](std::string_view text) {
    const auto bytes = static_cast<std::int64_t>(text.size());
    return bytes / 4 + (bytes > 1'500 ? bytes / 40 : 0);  // A long text counts more than its parts.
  })};
  for (int i = 0; i < 200; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "invoice " + std::to_string(i) + " " + words(10));
  say(Role::user, "Which invoice?");
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  EXPECT_GE(built->metadata.input_tokens_used, 850);
  EXPECT_LE(built->metadata.input_tokens_used, 1'000);
}

}  // namespace
}  // namespace ctxmgr
