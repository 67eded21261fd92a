#include "engine/build/planning_estimate.hpp"

#include <rapidcheck/gtest.h>

#include "support/scripted_models.hpp"

namespace ctxmgr {
namespace {

using testing::plan_for_all;
using testing::words;

class PlanningEstimateTest : public testing::BuildTest {
 protected:
  PlanningEstimateTest() {
    ModelInfo priced;
    priced.model = "priced";
    priced.context_window_tokens = 8'000;
    priced.input_usd_per_token = 0.000001;
    priced.output_usd_per_token = 0.000004;
    options_.catalog = options_.catalog.with(priced);
    request_.models = ModelConfig::single("priced");
    request_.planning.mode = PlannerMode::llm;
    request_.scope = "s";
    options_.client = testing::client_of(models_);
    options_.token_counters = {make_approximate_token_counter()};  // As the models count.
    models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "summarize", 1'000); };
    models_->summarize = testing::first_part;
  }

  /// Builds and holds what was taken against what was foretold.
  void expect_within(std::int64_t budget) {
    request_.budget.max_input_tokens = budget;
    ContextManager manager(options_);
    const auto preview = manager.plan(context_, request_);
    RC_ASSERT(preview.has_value());
    RC_ASSERT(models_->requests.empty());
    const auto built = manager.build(context_, request_);
    RC_ASSERT(built.has_value());
    RC_ASSERT(models_->requests.size() <= preview->expected_llm_calls);
    RC_ASSERT(built->metadata.planning_cost.total_cost_usd() <= preview->expected_cost_usd + 1e-12);
    RC_ASSERT(built->metadata.planning_usage.total().calls == static_cast<std::int64_t>(models_->requests.size()));
  }

  std::shared_ptr<testing::ScriptedModels> models_ = std::make_shared<testing::ScriptedModels>();
};

RC_GTEST_FIXTURE_PROP(PlanningEstimateTest, WhatIsForetoldIsNeverExceeded, ()) {
  const auto documents = *rc::gen::inRange(1, 12);
  for (int i = 0; i < documents; ++i) {
    const auto length = static_cast<std::size_t>(*rc::gen::element(60, 800, 4'000, 20'000));
    attach("doc" + std::to_string(i), words(length, "topic" + std::to_string(i)));
  }
  for (int i = *rc::gen::inRange(0, 60); i > 0; --i)
    say(i % 2 == 0 ? Role::user : Role::assistant, words(200, "talk" + std::to_string(i)));
  say(Role::user, "What of topic1?");
  request_.planning.max_llm_calls = static_cast<std::size_t>(*rc::gen::element(0, 1, 3, 10, 40));
  const auto strategy = *rc::gen::element<std::string>("summarize", "rag_extract", "exclude", "include_full");
  const auto target = *rc::gen::element(0, 50, 1'000, 100'000);
  const auto talk = *rc::gen::element<std::string>("plan", "chat", "chatter");
  models_->plan = [=](const auto& aliases) {
    return talk == "plan" ? plan_for_all(aliases, strategy, target) : words(talk == "chat" ? 10 : 50'000);
  };
  const auto summarizer = *rc::gen::element<std::string>("good", "terse", "verbose", "silent");
  models_->summarize = [=](const std::string& text) {
    return summarizer == "good"      ? testing::first_part(text)
           : summarizer == "terse"   ? text.substr(0, text.find(' '))
           : summarizer == "verbose" ? text + text
                                     : std::string();
  };
  expect_within(*rc::gen::element(1'500, 6'000, 30'000));
}

TEST_F(PlanningEstimateTest, LeavesOfALongSourceAreForetold) {
  say(Role::user, "What of zebra1?");
  attach("long", words(40'000, "zebra"));
  request_.budget.max_input_tokens = 3'000;
  ContextManager manager(options_);
  const auto preview = manager.plan(context_, request_);
  ASSERT_TRUE(preview);
  const auto built = manager.build(context_, request_);
  ASSERT_TRUE(built);
  EXPECT_GT(models_->asked(LlmPurpose::summarization), 5U) << "a source beyond the window is cut";
  EXPECT_LE(models_->requests.size(), preview->expected_llm_calls);
  EXPECT_LE(built->metadata.planning_cost.total_cost_usd(), preview->expected_cost_usd);
}

TEST_F(PlanningEstimateTest, OfAPlanThatIsThereOnlyItsSummariesAreForetold) {
  say(Role::user, "What of zebra1?");
  attach("one", words(2'000, "zebra"));
  attach("two", words(2'000, "heron"));
  request_.budget.max_input_tokens = 2'000;
  ArtifactDecision decision;
  decision.artifact_id = context_.artifacts[0].artifact_id;
  decision.strategy = ProcessingStrategy::summarize;
  decision.target_tokens = 300;
  request_.plan = ArtifactPlan{{decision}, {}};
  const auto preview = ContextManager(options_).plan(context_, request_);
  ASSERT_TRUE(preview);
  EXPECT_FALSE(preview->would_use_llm);
  EXPECT_EQ(preview->expected_llm_calls, 1U);
  ASSERT_TRUE(build(2'000));
  EXPECT_EQ(models_->requests.size(), 1U);
}

TEST_F(PlanningEstimateTest, WhereNoModelIsAskedNothingIsForetold) {
  say(Role::user, "What of zebra1?");
  attach("one", words(2'000, "zebra"));
  request_.budget.max_input_tokens = 2'000;
  request_.planning.mode = PlannerMode::deterministic;
  EXPECT_EQ(ContextManager(options_).plan(context_, request_)->expected_llm_calls, 0U);
  request_.planning.mode = PlannerMode::llm;
  request_.planning.max_llm_calls = 0;
  EXPECT_EQ(ContextManager(options_).plan(context_, request_)->expected_llm_calls, 0U);
  request_.planning.max_llm_calls = 40;
  options_.client = nullptr;
  EXPECT_EQ(ContextManager(options_).plan(context_, request_)->expected_cost_usd, 0);
}

}  // namespace
}  // namespace ctxmgr
