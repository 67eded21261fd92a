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
  EXPECT_TRUE(contains(notes_of(*built), "another conversation"));
}

TEST_F(BuildPrepareTest, AnUnknownModelIsBuiltForWithANote) {
  say(Role::user, "hello");
  request_.models.primary = "nobody/has-this-model";
  const auto built = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.model_max_tokens, 128'000);
  EXPECT_TRUE(contains(notes_of(*built), "unknown model"));
}

TEST_F(BuildPrepareTest, ToolDefinitionsAreCountedAgainstTheBudget) {
  say(Role::user, "hello");
  const auto without = build(1'000);
  request_.tools.push_back({"search", words(50), R"({"type":"object"})"});
  const auto with = build(1'000);
  ASSERT_TRUE(without && with);
  EXPECT_GT(with->metadata.tools_tokens, 50);
  EXPECT_EQ(with->metadata.max_input_tokens + with->metadata.tools_tokens, without->metadata.max_input_tokens);
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
