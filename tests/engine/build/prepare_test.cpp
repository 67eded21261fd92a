#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

/// Gather, budget, layout and gate, as they show in a receipt.
class BuildPrepareTest : public testing::BuildTest {
 protected:
  static std::string notes_of(const BuiltContext& built) {
    std::string notes;
    for (const auto& note : built.metadata.notes) notes += note + "\n";
    return notes;
  }
};

TEST_F(BuildPrepareTest, AnotherConversationsThreadStateIsNoticedAndIgnored) {
  say(Role::user, "one conversation");
  const auto other = build(500);
  ASSERT_TRUE(other);
  context_ = {};
  say(Role::user, "another conversation");
  const auto fresh = build(500);
  request_.thread_state = other->thread_state;
  const auto built = build(500);
  ASSERT_TRUE(fresh && built);
  EXPECT_EQ(to_openai_json(built->messages), to_openai_json(fresh->messages));
  EXPECT_TRUE(contains(notes_of(*built), "have changed: the thread begins anew"));
}

TEST_F(BuildPrepareTest, TheWindowOfAnUnknownModelIsAskedForOrSetAndSaid) {
  say(Role::user, "hello");
  request_.models.primary = "nobody/has-this-model";
  const auto refused = ContextManager(options_).build(context_, request_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(contains(refused.error().message, "nobody/has-this-model")) << refused.error().message;
  request_.budget.context_window_tokens = 16'000;
  const auto built = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->metadata.model_max_tokens, 16'000);
}

TEST_F(BuildPrepareTest, AClientsOwnModelIsBuiltForWithANote) {
  say(Role::user, "hello");
  request_.models.primary.clear();
  const auto built = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->metadata.model_max_tokens, 128'000);
  EXPECT_TRUE(contains(notes_of(*built), "unknown model: a window of 128000 tokens is assumed"));
}

TEST_F(BuildPrepareTest, ToolDefinitionsAreCountedAgainstTheBudget) {
  say(Role::user, "hello");
  const auto without = build(1'000);
  request_.tools.push_back({"search", words(50), R"({"type":"object"})"});
  const auto with = build(1'000);
  ASSERT_TRUE(without && with);
  EXPECT_GT(with->metadata.tools_tokens, 50);
  EXPECT_EQ(with->metadata.messages_limit + with->metadata.tools_tokens, without->metadata.messages_limit);
  EXPECT_EQ(with->metadata.budget_tokens, 1'000);
}

TEST_F(BuildPrepareTest, TheManagerCountsAsItsBuildsDo) {
  say(Role::system, "Answer in metres.");
  say(Role::user, words(40, "berth"));
  request_.tools.push_back({"search", words(50), R"({"type":"object"})"});
  request_.sent_beside = {{PartKind::text, words(30, "schema"), {}}};
  for (const char* model : {"gpt-4o", "claude-sonnet-4-5", ""}) {
    request_.models.primary = model;
    const auto built = build(2'000);
    ASSERT_TRUE(built);
    const ContextManager manager(options_);
    EXPECT_EQ(manager.count(built->messages, request_), built->metadata.sent_tokens()) << model;
    EXPECT_GT(manager.count(built->messages, request_), manager.count(built->messages, {request_.models})) << model;
  }
}

TEST_F(BuildPrepareTest, TheOldestStepsGoWhereStepsAloneWouldFillTheRoom) {
  say(Role::user, "hello");
  for (int i = 0; i < 10; ++i) {
    ReasoningStepRecord step;
    step.step_index = i;
    step.thought = "thought " + std::to_string(i) + " " + words(60);
    context_.step_records.push_back(step);
  }
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  EXPECT_FALSE(contains(testing::all_text(built->messages), "thought 0 "));
  EXPECT_TRUE(contains(testing::all_text(built->messages), "thought 9 "));
  EXPECT_LE(built->metadata.input_tokens_used, 1'000);
}

/// A step with a short thought and a result that can be told from the others.
ReasoningStepRecord step_with_result(int i, std::size_t result_words) {
  ReasoningStepRecord step;
  step.step_index = i;
  step.thought = "thought " + std::to_string(i) + " " + words(30);
  step.tool_predictions.push_back({"search", "{}", ""});
  step.tool_results.push_back({"search", true, "result " + std::to_string(i) + " is " + words(result_words), ""});
  return step;
}

TEST_F(BuildPrepareTest, NoStepIsSkippedWhereEverythingFits) {
  say(Role::user, "hello");
  for (int i = 0; i < 10; ++i) context_.step_records.push_back(step_with_result(i, 3));
  const auto whole = build(100'000);
  ASSERT_TRUE(whole);
  const auto built = build(whole->metadata.include_all_tokens + 200);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "thought 0 "));
  EXPECT_TRUE(contains(testing::all_text(built->messages), "result 0 is"));
  EXPECT_EQ(notes_of(*built).find("steps of this turn were left out"), std::string::npos);
}

TEST_F(BuildPrepareTest, ResultsOfSkippedStepsAreArtifactsLikeOthers) {
  say(Role::user, "What is the number of the needle?");
  for (int i = 0; i < 40; ++i) context_.step_records.push_back(step_with_result(i, 3));
  context_.step_records[0].tool_results[0].result = "The number of the needle is 4711.";
  const auto built = build(900);
  ASSERT_TRUE(built);
  const auto text = testing::all_text(built->messages);
  EXPECT_TRUE(contains(notes_of(*built), "steps of this turn were left out"));
  EXPECT_FALSE(contains(text, "thought 0 "));
  EXPECT_TRUE(contains(text, "number of the needle is 4711"));
  for (const auto& record : built->metadata.artifacts_processed) {
    if (record.strategy != ProcessingStrategy::include_full) continue;
    for (const auto& artifact : extract_artifacts_from_steps(context_.step_records)) {
      if (artifact.artifact_id == record.artifact_id) {
        EXPECT_TRUE(contains(text, artifact.content)) << artifact.artifact_id;
      }
    }
  }
  EXPECT_LE(built->metadata.input_tokens_used, 900);
}

/// Counts how often it is asked.
class CountingCounter final : public TokenCounter {
 public:
  TokenCounterInfo info() const override { return {}; }
  std::int64_t count(std::string_view text) const override {
    bytes += text.size();
    return static_cast<std::int64_t>(text.size() / 4 + 1);
  }
  mutable std::size_t bytes = 0;
};

TEST_F(BuildPrepareTest, TwiceTheStepsTakeAboutTwiceTheWork) {
  say(Role::user, "hello");
  const auto work = [this](int steps) {
    context_.step_records.clear();
    for (int i = 0; i < steps; ++i) context_.step_records.push_back(step_with_result(i, 3));
    const auto counter = std::make_shared<CountingCounter>();
    options_.token_counters = {counter};
    EXPECT_TRUE(build(2'000));
    return static_cast<double>(counter->bytes);
  };
  EXPECT_LT(work(2'000) / work(1'000), 2.5);
}

TEST_F(BuildPrepareTest, TenThousandArtifactsAreGatheredPlannedAndAccountedFor) {
  say(Role::user, "Where is the needle?");
  for (int i = 0; i < 10'000; ++i) attach("doc" + std::to_string(i), "hay " + std::to_string(i));
  context_.artifacts[7'777].content = "The needle is in the blue barn.";
  const auto built = build(2'000);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->metadata.artifacts_total, 10'000U);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "blue barn"));
  EXPECT_LE(built->metadata.input_tokens_used, 2'000);
}

/// Counting takes time.
class SlowCounter final : public TokenCounter {
 public:
  explicit SlowCounter(std::shared_ptr<testing::ManualClock> clock) : clock_(std::move(clock)) {}
  TokenCounterInfo info() const override { return {}; }
  std::int64_t count(std::string_view text) const override {
    clock_->advance(std::chrono::milliseconds(text.size() / 1'000));
    return static_cast<std::int64_t>(text.size() / 4 + 1);
  }

 private:
  std::shared_ptr<testing::ManualClock> clock_;
};

TEST_F(BuildPrepareTest, AtItsDeadlineABuildReadsNoFurther) {
  options_.token_counters = {std::make_shared<SlowCounter>(clock_)};
  say(Role::user, "Where is the needle?");
  for (int i = 0; i < 40; ++i) attach("doc" + std::to_string(i), words(20'000));
  CallOptions call;
  const auto began = clock_->steady_now();
  call.deadline = began + std::chrono::seconds(1);
  const auto built = build(2'000, call);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_LT(clock_->steady_now() - began, std::chrono::seconds(2)) << "of about 7 s that reading all takes";
  EXPECT_LE(built->metadata.input_tokens_used, 2'000);
  EXPECT_EQ(text_of(built->messages.back()), "Where is the needle?");
  EXPECT_TRUE(contains(notes_of(*built), "artifacts were not read"));
  EXPECT_EQ(built->metadata.artifacts_total, 40U);
  EXPECT_EQ(built->metadata.artifacts_processed.back().reason, "not read: the time was up");
}

TEST_F(BuildPrepareTest, OlderMessagesAreReadUntilTheDeadlineToo) {
  for (int i = 0; i < 400; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(500));
  say(Role::user, "go on");
  CallOptions call;
  call.deadline = clock_->steady_now();
  const auto late = build(2'000, call);
  const auto timely = build(2'000);
  ASSERT_TRUE(late && timely) << late.error().message;
  EXPECT_LE(late->metadata.input_tokens_used, 2'000);
  EXPECT_EQ(text_of(late->messages.back()), "go on");
  EXPECT_LE(timely->metadata.input_tokens_used, 2'000);
}

TEST_F(BuildPrepareTest, TheGateHearsOfTheHistoryThatDoesNotFit) {
  for (int i = 0; i < 30; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(100));
  say(Role::user, "go on");
  const auto preview = [&] {
    request_.budget.max_input_tokens = 1'000;
    return ContextManager(options_).plan(context_, request_);
  }();
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->gate_reason, "near_or_over_limit");
}

}  // namespace
}  // namespace ctxmgr
