#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::decision;
using testing::planner_reply;
using testing::words;

class BuildPlanTest : public testing::BuildTest {
 protected:
  BuildPlanTest() {
    say(Role::user, "What does the report say?");
    attach("report", words(1'500) + "\nThe zebra clause ends in May.\n" + words(1'500));
  }
  std::size_t asked() const { return client_->requests().size(); }
};

TEST_F(BuildPlanTest, ThePlannersOwnQueryIsWhatIsExtractedBy) {
  use_client();
  client_->then_reply(planner_reply(decision("a1", "rag_extract", "zebra clause", 500)));
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "zebra clause ends in May"));
}

TEST_F(BuildPlanTest, AnUnchangedTurnKeepsItsPlanAndAsksNobody) {
  use_client();
  client_->then_reply(planner_reply(decision("a1", "rag_extract", "zebra", 300)));
  const auto first = build(2'000);
  ASSERT_TRUE(first);
  request_.thread_state = first->thread_state;
  const auto second = build(2'000);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->metadata.plan_source, PlanSource::kept);
  EXPECT_EQ(asked(), 1U);
  EXPECT_EQ(to_openai_json(second->messages), to_openai_json(first->messages));
}

TEST_F(BuildPlanTest, ANewQuestionIsPlannedAnew) {
  use_client();
  const auto reply = planner_reply(decision("a1", "rag_extract", "zebra", 300));
  client_->then_reply(reply).then_reply(reply);
  request_.thread_state = build(2'000)->thread_state;
  say(Role::user, "And in June?");
  EXPECT_EQ(build(2'000)->metadata.plan_source, PlanSource::llm);
  EXPECT_EQ(asked(), 2U);
}

TEST_F(BuildPlanTest, AModelsPlanIsNotKeptWhereModelsAreNotWanted) {
  use_client();
  client_->then_reply(planner_reply(decision("a1", "exclude")));
  request_.thread_state = build(2'000)->thread_state;
  request_.planning.mode = PlannerMode::deterministic;
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
  EXPECT_EQ(built->metadata.artifacts_transformed, 1U);
}

TEST_F(BuildPlanTest, AGivenPlanIsCarriedOutWithoutAPlanner) {
  use_client();
  request_.plan = ArtifactPlan{{{"doc_report", ProcessingStrategy::exclude}}, {}};
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::given);
  EXPECT_EQ(built->metadata.artifacts_excluded, 1U);
  EXPECT_EQ(asked(), 0U);
}

TEST_F(BuildPlanTest, WithoutSelectionEverythingIsTakenWholeFromTheNewest) {
  request_.planning.mode = PlannerMode::none;
  attach("small", "a short note");
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "a short note"));
  EXPECT_LE(built->metadata.input_tokens_used, 2'000);
}

TEST_F(BuildPlanTest, WithoutSelectionWhatFitsIsWholeBesideNewerThatDoesNot) {
  request_.planning.mode = PlannerMode::none;
  attach("middle", "The quay opens at six. " + words(600) + " The quay closes at nine.");
  attach("newest", words(4'000));
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  const auto sent = testing::all_text(built->messages);
  EXPECT_TRUE(contains(sent, "The quay opens at six."));
  EXPECT_TRUE(contains(sent, "The quay closes at nine."));
  EXPECT_EQ(built->metadata.artifacts_included, 1U);
}

TEST_F(BuildPlanTest, NoCallsAtAllMeansNoPlannerEither) {
  use_client();
  request_.planning.max_llm_calls = 0;
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(asked(), 0U);
  EXPECT_TRUE(contains(built->metadata.plan_reason, "no calls allowed"));
}

TEST_F(BuildPlanTest, ThePlanCountsAmongTheCalls) {
  use_client();
  attach("second", words(2'000));
  request_.planning.max_llm_calls = 2;
  client_->then_reply(planner_reply(decision("a1", "summarize", "", 200) + "," + decision("a2", "summarize", "", 200)))
      .then_reply("filler0")
      .then_reply("filler1");
  ASSERT_TRUE(build(2'000));
  EXPECT_EQ(asked(), 2U);
}

TEST_F(BuildPlanTest, ThePlannersPromptStaysSmallForAnyNumberOfArtifacts) {
  use_client();
  for (int i = 0; i < 10'000; ++i) attach("doc" + std::to_string(i), "report hay " + words(5));
  client_->then_reply(planner_reply(""));
  ASSERT_TRUE(build(3'000));
  ASSERT_EQ(asked(), 1U);
  const auto counter = make_approximate_token_counter();
  EXPECT_LE(count_messages(*counter, client_->requests()[0].messages), 24'000);
}

TEST_F(BuildPlanTest, OlderMessagesCanBeSummarisedAsOneArtifact) {
  use_client();
  context_ = {};
  for (int i = 0; i < 20; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, words(120) + " Turn " + std::to_string(i) + ".");
  say(Role::user, "go on");
  client_->then_reply(planner_reply(decision("a1", "summarize", "", 200))).then_reply("They spoke of filler0.");
  const auto built = build(1'500);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "They spoke of filler0."));
  EXPECT_TRUE(contains(text_of(client_->requests()[1].messages.back()), "assistant: "));
  EXPECT_FALSE(contains(text_of(client_->requests()[1].messages.back()), "user: go on"));
}

TEST_F(BuildPlanTest, ResultsStandBesideTheirCallsInThePlannersPromptAndTheSummarisers) {
  use_client();
  context_ = {};
  for (const std::string city : {"Oslo", "Bergen", "Tromso"}) {
    say(Role::user, "And there?");
    add(testing::tool_call(city, "weather"));
    context_.conversation_history.back().tool_calls[0].arguments_json = R"({"city":")" + city + R"("})";
    add(testing::tool_result(city, "filler3 and 12 degrees. " + words(250)));
    say(Role::assistant, words(120));
  }
  say(Role::user, "Where was filler3?");
  client_->then_reply(planner_reply(decision("a1", "summarize", "", 200))).then_reply("filler0 filler1.");
  ASSERT_TRUE(build(900));
  ASSERT_EQ(asked(), 2U);
  EXPECT_TRUE(contains(text_of(client_->requests()[0].messages.back()), "] weather("));
  for (const std::string city : {"Oslo", "Bergen"})
    EXPECT_TRUE(contains(text_of(client_->requests()[1].messages.back()), "] weather(" + city + "): "));
}

/// A conversation that does not fit, and what a plan for its older part makes of it.
class BuildPlanOlderTest : public BuildPlanTest {
 protected:
  BuildPlanOlderTest() {
    context_ = {};
    for (int i = 0; i < 30; ++i)
      say(i % 2 == 0 ? Role::user : Role::assistant,
          "zebra clause " + std::to_string(i) + " " + words(20) + words(60, "word" + std::to_string(i)));
    say(Role::user, "Which zebra clause?");
  }

  /// Tokens of the excerpts of older messages.
  std::int64_t excerpts(const std::string& decision) {
    use_client();
    client_->then_reply(planner_reply(decision));
    const auto built = build(1'500);
    EXPECT_TRUE(built);
    EXPECT_LE(built->metadata.input_tokens_used, 1'500);
    EXPECT_EQ(built->metadata.plan_source, PlanSource::llm);
    EXPECT_EQ(built->metadata.artifacts_processed.size(), 1U);
    return built->metadata.artifacts_processed.back().processed_tokens;
  }

  /// The same of a host's own plan.
  std::int64_t excerpts_of_given(ProcessingStrategy strategy, std::int64_t tokens) {
    auto plan = build(1'500)->plan;
    EXPECT_EQ(plan.artifacts.size(), 1U);
    plan.artifacts[0].strategy = strategy;
    plan.artifacts[0].target_tokens = tokens;
    plan.artifacts[0].extraction_query.clear();
    request_.plan = plan;
    const auto built = build(1'500);
    EXPECT_EQ(built->metadata.plan_source, PlanSource::given);
    return built->metadata.artifacts_processed.back().processed_tokens;
  }
};

TEST_F(BuildPlanOlderTest, OlderMessagesThatArePlannedWholeAreExtractedWithTheRoomThereIs) {
  EXPECT_GT(excerpts(decision("a1", "include_full")), 400);
}

TEST_F(BuildPlanOlderTest, AnExtractOfThemWithoutAQueryKeepsItsTarget) {
  const auto tokens = excerpts_of_given(ProcessingStrategy::rag_extract, 120);
  EXPECT_GT(tokens, 40);
  EXPECT_LE(tokens, 140);
}

TEST_F(BuildPlanOlderTest, TheyCanBeLeftOut) { EXPECT_EQ(excerpts_of_given(ProcessingStrategy::exclude, 0), 0); }

TEST_F(BuildPlanOlderTest, WhereAModelLeavesThemOutTheyHaveTheRoomThatNothingElseWants) {
  EXPECT_GT(excerpts(decision("a1", "exclude")), 400);
}

TEST_F(BuildPlanTest, ExcerptsForThePlannersQueryLeaveTheQuestionOut) {
  use_client();
  context_ = {};
  say(Role::user, "the zebra clause " + words(300));
  say(Role::user, "QUESTION about the zebra");
  for (int i = 0; i < 10; ++i) {
    add(testing::tool_call("c" + std::to_string(i)));
    add(testing::tool_result("c" + std::to_string(i), words(200)));
  }
  client_->then_reply(planner_reply(decision("a1", "rag_extract", "QUESTION zebra clause", 200)));
  const auto built = build(1'200);
  ASSERT_TRUE(built);
  const auto text = testing::all_text(built->messages);
  EXPECT_EQ(text.find("QUESTION about"), text.rfind("QUESTION about"));
}

}  // namespace
}  // namespace ctxmgr
