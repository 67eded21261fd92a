#include "engine/build/planner_question.hpp"

#include "support/scripted_models.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::plan_for_all;
using testing::words;

/// When a model is asked to plan, and what it is told.
class PlannerQuestionTest : public testing::BuildTest {
 protected:
  PlannerQuestionTest() {
    options_.client = testing::client_of(models_);
    options_.token_counters = {make_approximate_token_counter()};  // As the models count.
    request_.models.primary = "gpt-4o";
    models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "rag_extract"); };
    models_->summarize = testing::first_part;
    say(Role::user, "Where is zebra1?");
  }
  std::size_t plans() const { return models_->asked(LlmPurpose::context_planning); }
  Result<BuiltContext> next(std::int64_t budget) {
    auto built = build(budget);
    if (built) request_.thread_state = built->thread_state;
    return built;
  }

  std::shared_ptr<testing::ScriptedModels> models_ = std::make_shared<testing::ScriptedModels>();
};

TEST_F(PlannerQuestionTest, WhereEverythingIsSentNobodyIsAskedWhatToSend) {
  attach("large", words(3'000, "zebra"));
  const auto built = build(50'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(plans(), 0U);
  EXPECT_EQ(built->metadata.plan_reason, "large_artifact: everything is sent, whatever a plan says");
  request_.planning.mode = PlannerMode::llm;
  ASSERT_TRUE(build(50'000));
  EXPECT_EQ(plans(), 1U) << "unless the host wants it";
}

TEST_F(PlannerQuestionTest, APlanThatCostsMoreThanItSavesIsNotAskedFor) {
  request_.models.context_planner = request_.models.summarizer = "gpt-4o-mini";  // Their prices are known.
  attach("large", words(3'000, "zebra"));
  options_.gate.expected_remaining_turns = 0;
  const auto kept = build(3'000);
  ASSERT_TRUE(kept);
  EXPECT_EQ(plans(), 1U) << "thousands of tokens of the dear model are saved: " << kept->metadata.plan_reason;
  request_.models.primary = "gpt-4o-mini";
  const auto built = build(4'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(plans(), 1U);
  EXPECT_EQ(built->metadata.plan_reason, "costs_more_than_it_saves");
  options_.gate.expected_remaining_turns = 1'000;
  ASSERT_TRUE(build(4'000));
  EXPECT_EQ(plans(), 2U);
}

TEST_F(PlannerQuestionTest, AModelThatHasNoTimeIsNotAsked) {
  attach("large", words(3'000, "zebra"));
  CallOptions call;
  call.deadline = clock_->steady_now() + std::chrono::seconds(7);
  const auto hurried = build(3'000, call);
  ASSERT_TRUE(hurried);
  EXPECT_EQ(hurried->metadata.plan_reason, "no_time");
  EXPECT_EQ(plans(), 0U);
  request_.planning.planner_timeout = std::chrono::seconds(2);
  ASSERT_TRUE(build(3'000, call));
  EXPECT_EQ(plans(), 1U);
}

TEST_F(PlannerQuestionTest, AnAgentsStepsArePlannedAgainOnlyWhenThereIsTwiceAsMuch) {
  request_.scope = "s";
  std::size_t kept = 0;
  for (int i = 0; i < 44; ++i) {
    ReasoningStepRecord step;
    step.step_index = i;
    ToolResult result;
    result.tool_name = "search";
    result.result = words(600, "step" + std::to_string(i) + "x");
    step.tool_results.push_back(result);
    context_.step_records.push_back(step);
    const auto built = next(3'000);
    ASSERT_TRUE(built) << built.error().message;
    kept += built->metadata.plan_source == PlanSource::kept ? 1 : 0;
  }
  EXPECT_LE(plans(), 10U);
  EXPECT_GE(plans(), 2U);
  EXPECT_GT(kept, 30U);
}

TEST_F(PlannerQuestionTest, APlannerThatFailedIsNotAskedAgainForTheSameQuestion) {
  models_->plan = [](const auto&) { return "I would not know."; };
  attach("large", words(3'000, "zebra"));
  ASSERT_TRUE(next(3'000));
  say(Role::assistant, "Let me think.");
  const auto again = next(3'000);
  ASSERT_TRUE(again);
  EXPECT_EQ(plans(), 1U);
  EXPECT_TRUE(contains(again->metadata.plan_reason, "was asked about this question before"));
  say(Role::user, "And where is zebra2?");
  ASSERT_TRUE(next(3'000));
  EXPECT_EQ(plans(), 2U);
}

TEST_F(PlannerQuestionTest, AShortQuestionIsPlannedWithWhatItRefersTo) {
  say(Role::assistant, "The okapi house has two doors.");
  say(Role::user, "And the second?");
  attach("large", words(1'500, "zebra") + "The second door of the okapi house is green.\n" + words(1'500, "heron"));
  models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "summarize", 300); };
  ASSERT_TRUE(build(3'000));
  ASSERT_GE(models_->requests.size(), 2U);
  const auto planner = text_of(models_->requests[0].messages.back());
  EXPECT_TRUE(contains(planner, "Task: Where is zebra1?")) << planner;
  EXPECT_TRUE(contains(planner, "assistant: The okapi house has two doors."));
  const auto summarizer = text_of(models_->requests[1].messages.back());
  EXPECT_TRUE(contains(summarizer, "says about: And the second? assistant: The okapi house has two doors."))
      << summarizer;
}

TEST_F(PlannerQuestionTest, ALimitOfABuildIsKeptAndSaid) {
  attach("one", words(3'000, "zebra"));
  attach("two", words(3'000, "heron"));
  models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "summarize", 300); };
  request_.planning.max_planning_tokens = 1'000;
  const auto none = build(3'000);
  ASSERT_TRUE(none);
  EXPECT_EQ(models_->requests.size(), 0U);
  EXPECT_EQ(none->metadata.plan_reason, "near_or_over_limit: a plan may take more than the limit on planning leaves");
  request_.planning.max_planning_tokens = 12'000;
  const auto some = build(3'000);
  ASSERT_TRUE(some);
  EXPECT_EQ(plans(), 1U);
  EXPECT_EQ(models_->asked(LlmPurpose::summarization), 1U);
  EXPECT_LE(some->metadata.planning_usage.total().total_tokens(), 12'000);
  std::string reasons;
  for (const auto& record : some->metadata.artifacts_processed) reasons += record.reason + "\n";
  EXPECT_TRUE(contains(reasons, "a summary may take more than the limit on planning leaves")) << reasons;
}

TEST_F(PlannerQuestionTest, ALimitOfAThreadIsKeptOverAllItsBuilds) {
  request_.planning.max_planning_tokens = 5'000;
  attach("large", words(3'000, "zebra"));
  std::size_t refused = 0;
  for (const std::string animal : {"zebra", "heron", "otter", "okapi", "panda", "tapir", "llama", "lemur", "moose"}) {
    say(Role::user, "In which enclosure does the " + animal + " live?");
    const auto built = next(3'000);
    ASSERT_TRUE(built);
    EXPECT_LE(built->metadata.thread_planning_tokens, 5'000) << built->metadata.plan_reason;
    refused += contains(built->metadata.plan_reason, "limit on planning") ? 1 : 0;
    say(Role::assistant, "Somewhere.");
  }
  EXPECT_GE(plans(), 2U);
  EXPECT_GE(refused, 2U);
}

}  // namespace
}  // namespace ctxmgr
