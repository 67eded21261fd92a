#include "ctxmgr/engine/artifact_processor.hpp"

#include <random>

#include "ports/estimate_by_kind.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::decision;
using testing::planner_reply;
using testing::words;

class ArtifactProcessorTest : public ::testing::Test {
 protected:
  ArtifactProcessorTest() {
    options_.clock = std::make_shared<testing::ManualClock>();
    options_.scope = "session";
    artifacts_ = {make_document("zebra", words(1'000, "zebra")), make_document("note", "A short note about a zebra.")};
  }
  void use_client() { options_.client = client_; }
  Result<PlannedContext> plan(std::int64_t tokens) const {
    return ArtifactProcessor(options_).plan_context(artifacts_, "zebra", ContextGoal::synthesis, tokens);
  }
  Result<std::vector<ProcessedArtifact>> execute(const ArtifactPlan& plan, std::int64_t tokens,
                                                 const CallOptions& call = {}) const {
    return ArtifactProcessor(options_).execute_plan(plan, artifacts_, "zebra", tokens, call);
  }

  ArtifactProcessorOptions options_;
  std::shared_ptr<testing::ScriptedLlmClient> client_ = std::make_shared<testing::ScriptedLlmClient>();
  std::vector<Artifact> artifacts_;
};

TEST_F(ArtifactProcessorTest, WithoutAClientThePlanIsDeterministicAndNamesEverything) {
  const auto planned = plan(300);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->source, PlanSource::deterministic);
  EXPECT_EQ(planned->plan.artifacts.size(), 2U);
}

TEST_F(ArtifactProcessorTest, APlannersDecisionsAreRepairedAndTheirUsageTold) {
  use_client();
  client_->then_reply(testing::saying(planner_reply(decision("a1", "include_full", "", 1'000'000)), 700));
  const auto planned = plan(300);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->source, PlanSource::llm);
  EXPECT_EQ(planned->usage.prompt_tokens, 700);
  std::int64_t tokens = 0;
  for (const auto& item : planned->plan.artifacts) tokens += item.target_tokens;
  EXPECT_LE(tokens, 300);
}

TEST_F(ArtifactProcessorTest, AFailingPlannerFallsBackOrFailsAsAsked) {
  use_client();
  client_->then_fail({ErrorCode::unavailable, "down", {}}).then_fail({ErrorCode::unavailable, "down", {}});
  EXPECT_EQ(plan(300)->source, PlanSource::deterministic);
  options_.policy.mode = PlannerMode::llm_or_fail;
  EXPECT_EQ(plan(300).error().code, ErrorCode::unavailable);
}

TEST_F(ArtifactProcessorTest, WhateverAPlanSaysTheResultFits) {
  const ArtifactPlan greedy{{{"doc_zebra", ProcessingStrategy::include_full, -3, "", "", "", 1'000'000},
                             {"doc_zebra", ProcessingStrategy::exclude},
                             {"doc_unknown", ProcessingStrategy::include_full}},
                            {}};
  for (const std::int64_t budget : {0, 10, 100, 1'000, 100'000}) {
    const auto processed = execute(greedy, budget);
    ASSERT_TRUE(processed);
    std::int64_t tokens = 0;
    for (const auto& artifact : *processed) tokens += artifact.tokens;
    EXPECT_LE(tokens, budget);
  }
}

/// Of artifacts of several sizes and of every strategy, with targets that are met, too small or far too large.
TEST_F(ArtifactProcessorTest, NoPlanTakesMoreThanItsBudget) {
  std::mt19937 engine(5);
  const auto below = [&engine](std::size_t count) { return static_cast<std::size_t>(engine() % count); };
  for (int round = 0; round < 300; ++round) {
    artifacts_.clear();
    ArtifactPlan plan;
    for (std::size_t i = 0, count = 1 + below(6); i < count; ++i) {
      const auto id = std::to_string(i);
      artifacts_.push_back(make_document(id, words(10 + below(600), below(2) == 0 ? "zebra" : "word" + id)));
      ArtifactDecision decision;
      decision.artifact_id = artifacts_.back().artifact_id;
      decision.strategy = static_cast<ProcessingStrategy>(below(4));
      decision.priority = static_cast<int>(below(5));
      decision.target_tokens = static_cast<std::int64_t>(below(3'000));
      plan.artifacts.push_back(decision);
    }
    const auto budget = static_cast<std::int64_t>(below(1'500));
    const auto processed = execute(plan, budget);
    ASSERT_TRUE(processed) << processed.error().message;
    std::int64_t tokens = 0;
    for (const auto& artifact : *processed) tokens += estimate_by_kind(artifact.text);
    EXPECT_LE(tokens, budget) << round;
  }
}

TEST_F(ArtifactProcessorTest, SummariesComeFromTheModelOnceAndThenFromTheCache) {
  use_client();
  client_->then_reply("zebra0 in short");
  const ArtifactPlan plan{{{"doc_zebra", ProcessingStrategy::summarize, 1, "", "focus", "", 200}}, {}};
  EXPECT_EQ(execute(plan, 1'000)->front().text, "zebra0 in short");
  const auto again = execute(plan, 1'000);
  EXPECT_TRUE(again->front().cache_hit);
  EXPECT_EQ(client_->requests().size(), 1U);
}

TEST_F(ArtifactProcessorTest, APlanIsCarriedOutForTheQueryThatItWasMadeFor) {
  artifacts_ = {
      make_document("log", words(400, "noise") + "\n\nThe okapi house has two doors.\n\n" + words(400, "filler"))};
  const ArtifactProcessor processor(options_);
  auto planned = processor.plan_context(artifacts_, "How many doors has the okapi house?", ContextGoal::synthesis, 60);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->query, "How many doors has the okapi house?");
  planned->plan.artifacts = {{"doc_log", ProcessingStrategy::rag_extract, 1, "", "", "", 60}};
  const auto processed = processor.execute_plan(*planned, artifacts_, 60);
  ASSERT_TRUE(processed);
  ASSERT_EQ(processed->size(), 1U);
  EXPECT_NE(processed->front().text.find("two doors"), std::string::npos);
}

TEST_F(ArtifactProcessorTest, WhatAHostWantsOfSummariesReachesTheModelAndOtherWordsAreAnotherSummary) {
  use_client();
  client_->then_reply("zebra0 in short").then_reply("## Decisions\nzebra1 in short");
  const ArtifactPlan plan{{{"doc_zebra", ProcessingStrategy::summarize, 1, "", "focus", "", 200}}, {}};
  ASSERT_TRUE(execute(plan, 1'000));
  options_.policy.summary_instructions.sections = {"Decisions"};
  EXPECT_EQ(execute(plan, 1'000)->front().text, "## Decisions\nzebra1 in short");
  ASSERT_EQ(client_->requests().size(), 2U);
  EXPECT_NE(text_of(client_->requests()[1].messages.front()).find("## Decisions"), std::string::npos);
  options_.policy.summary_instructions.sections = {""};
  EXPECT_EQ(execute(plan, 1'000).error().code, ErrorCode::invalid_argument);
}

TEST_F(ArtifactProcessorTest, CancellationAndRepeatedIdsAreErrors) {
  EXPECT_EQ(execute({}, 100, {CancellationToken([] { return true; }), {}}).error().code, ErrorCode::cancelled);
  artifacts_[1].artifact_id = artifacts_[0].artifact_id;
  EXPECT_EQ(plan(100).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(execute({}, 100).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr
