#include "ctxmgr/engine/context_build.hpp"

#include <optional>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::decision;
using testing::planner_reply;
using testing::saying;
using testing::words;

/// A host that answers the calls of a build itself.
class ContextBuildTest : public testing::BuildTest {
 protected:
  ContextBuildTest() {
    say(Role::user, "What is in the documents?");
    for (int i = 0; i < 3; ++i) attach("doc" + std::to_string(i), words(2'000 + static_cast<std::size_t>(i)));
    request_.budget.max_input_tokens = 3'000;
    request_.scope = "session";
  }
  ContextBuild start() { return *manager_.start(context_, request_); }
  static std::string summarize_all() {
    return planner_reply(decision("a1", "summarize", "", 200) + "," + decision("a2", "summarize", "", 200) + "," +
                         decision("a3", "summarize", "", 200));
  }

  ContextManager manager_{options_};
};

TEST_F(ContextBuildTest, EveryCallSaysWhoseDataItIsAbout) {
  auto build = start();
  auto calls = build.next_calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].request.scope, "session");
  build.reply(calls[0].id, saying(summarize_all()));
  calls = build.next_calls();
  ASSERT_EQ(calls.size(), 3U);
  for (const auto& call : calls) EXPECT_EQ(call.request.scope, "session");
}

TEST_F(ContextBuildTest, AContextThatChangedMeanwhileIsRefused) {
  auto edited = start();
  context_.conversation_history[0].content = "Something else?";
  EXPECT_EQ(std::move(edited).finish().error().code, ErrorCode::invalid_argument);
  auto grown = start();
  const auto plan = grown.next_calls();
  ASSERT_EQ(plan.size(), 1U);
  attach("another", words(100));
  grown.reply(plan[0].id, saying(summarize_all()));
  EXPECT_TRUE(grown.next_calls().empty());
  EXPECT_TRUE(grown.done());
  EXPECT_EQ(std::move(grown).finish().error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(start().next_calls().size() == 1U);
}

TEST_F(ContextBuildTest, AsksForThePlanThenForTheSummariesAndIsDone) {
  auto build = start();
  const auto plan = build.next_calls();
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].request.purpose, LlmPurpose::context_planning);
  EXPECT_TRUE(build.next_calls().empty());
  build.reply(plan[0].id, saying(summarize_all()));
  const auto summaries = build.next_calls();
  ASSERT_EQ(summaries.size(), 3U);
  for (const auto& call : summaries) build.reply(call.id, saying("filler0 only"));
  EXPECT_TRUE(build.done());
  const auto built = std::move(build).finish();
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->metadata.plan_source, PlanSource::llm);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "filler0 only"));
}

TEST_F(ContextBuildTest, TheBytesAreThoseOfTheBlockingBuild) {
  client_->then_reply(summarize_all()).then_reply("filler1").then_reply("filler2").then_reply("filler3");
  use_client();
  const auto blocking = ContextManager(options_).build(context_, request_);
  auto build = start();
  build.reply(build.next_calls()[0].id, saying(summarize_all()));
  const auto calls = build.next_calls();
  for (std::size_t i = calls.size(); i-- > 0;) build.reply(calls[i].id, saying("filler" + std::to_string(i + 1)));
  const auto built = std::move(build).finish();
  ASSERT_TRUE(blocking && built);
  EXPECT_EQ(to_openai_json(built->messages), to_openai_json(blocking->messages));
}

TEST_F(ContextBuildTest, RepliesNobodyAskedForAreIgnored) {
  auto build = start();
  build.reply(0, saying(summarize_all()));
  build.reply(7, saying("text"));
  const auto plan = build.next_calls();
  ASSERT_EQ(plan.size(), 1U);
  build.reply(plan[0].id, saying(planner_reply(decision("a1", "exclude"))));
  build.reply(plan[0].id, saying(summarize_all()));
  EXPECT_TRUE(build.done());
  EXPECT_EQ(std::move(build).finish()->metadata.plan_source, PlanSource::llm);
}

TEST_F(ContextBuildTest, FinishingAtOnceIsADryRun) {
  auto early = start();
  auto asked = start();
  (void)asked.next_calls();
  const auto built = std::move(early).finish();
  const auto late = std::move(asked).finish();
  ASSERT_TRUE(built && late);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
  EXPECT_TRUE(contains(built->metadata.plan_reason, "no reply in time"));
  EXPECT_EQ(to_openai_json(built->messages), to_openai_json(late->messages));
}

TEST_F(ContextBuildTest, FinishingBeforeTheSummariesExtracts) {
  auto build = start();
  build.reply(build.next_calls()[0].id, saying(summarize_all()));
  const auto calls = build.next_calls();
  build.reply(calls[1].id, saying("filler2"));
  const auto built = std::move(build).finish();
  ASSERT_TRUE(built);
  std::size_t summaries = 0;
  for (const auto& record : built->metadata.artifacts_processed)
    summaries += record.strategy == ProcessingStrategy::summarize;
  EXPECT_EQ(summaries, 1U);
}

TEST_F(ContextBuildTest, FinishesOnce) {
  auto build = start();
  ASSERT_TRUE(std::move(build).finish());
  EXPECT_TRUE(build.done());
  EXPECT_TRUE(build.next_calls().empty());
  build.reply(0, saying("late"));
  EXPECT_EQ(std::move(build).finish().error().code, ErrorCode::invalid_argument);
}

TEST_F(ContextBuildTest, DestroyingOneLeavesOthersAlone) {
  auto abandoned = std::optional<ContextBuild>(start());
  abandoned->reply(abandoned->next_calls()[0].id, saying(summarize_all()));
  (void)abandoned->next_calls();
  abandoned.reset();
  auto build = start();
  build.reply(build.next_calls()[0].id, saying(summarize_all()));
  EXPECT_EQ(build.next_calls().size(), 3U);
}

TEST_F(ContextBuildTest, AFailedPlanMakesNoFurtherCallsWhereItFailsTheBuild) {
  request_.planning.mode = PlannerMode::llm_or_fail;
  auto build = start();
  build.reply(build.next_calls()[0].id, fail(ErrorCode::denied, "no credit"));
  EXPECT_TRUE(build.done());
  EXPECT_TRUE(build.next_calls().empty());
  EXPECT_EQ(std::move(build).finish().error().code, ErrorCode::denied);
}

TEST_F(ContextBuildTest, AsksNobodyWhereModelsAreNotWanted) {
  request_.planning.mode = PlannerMode::deterministic;
  auto build = start();
  EXPECT_TRUE(build.done());
  EXPECT_TRUE(build.next_calls().empty());
}

}  // namespace
}  // namespace ctxmgr
