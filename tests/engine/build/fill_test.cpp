#include <algorithm>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::decision;
using testing::planner_reply;
using testing::words;

class BuildFillTest : public testing::BuildTest {};

TEST_F(BuildFillTest, TheIndexSaysHowManyMoreThereAre) {
  say(Role::user, "question");
  for (int i = 0; i < 200; ++i) attach("document_" + std::to_string(i), words(150));
  request_.archive = std::make_shared<testing::SpyArchive>();
  const auto built = build(4'500);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), " more\n"));
}

TEST_F(BuildFillTest, NothingIsListedThatCannotBeRead) {
  say(Role::user, "question");
  for (int i = 0; i < 200; ++i) attach("document_" + std::to_string(i), words(150));
  const auto built = build(4'500);
  ASSERT_TRUE(built);
  EXPECT_FALSE(contains(testing::all_text(built->messages), "Not whole"));
  EXPECT_FALSE(contains(testing::all_text(built->messages), " more\n"));
}

TEST_F(BuildFillTest, ExcerptsOfMaskedResultsGiveWayBeforeMessagesDo) {
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

/// A planner that takes too much out, and how much of the room is used all the same.
class FilledRoomTest : public testing::BuildTest {
 protected:
  FilledRoomTest() {
    say(Role::user, "When does the zebra eat, and who feeds it?");
    attach("zebra", words(900, "grass") + "The zebra eats at noon.\n" + words(900, "stripes"));
    attach("keepers", words(900, "shift") + "Rosa feeds the zebra.\n" + words(900, "keys"));
    use_client();
    request_.planning.mode = PlannerMode::llm;
  }

  static std::string shown(const Result<BuiltContext>& built) {
    EXPECT_TRUE(built) << built.error().message;
    return built ? testing::all_text(built->messages) : std::string();
  }
};

TEST_F(FilledRoomTest, WhatASummaryLeavesFreeGoesToPassages) {
  client_->then_reply(planner_reply(decision("a1", "summarize") + "," + decision("a2", "summarize")))
      .then_reply("It is about grass0 and stripes1.")
      .then_reply("It is about shift0 and keys1.");
  const auto built = build(2'000);
  const auto text = shown(built);
  EXPECT_TRUE(contains(text, "It is about grass0"));
  EXPECT_TRUE(contains(text, "eats at noon"));
  EXPECT_TRUE(contains(text, "Rosa feeds"));
  EXPECT_GT(built->metadata.input_tokens_used, 1'800);
  EXPECT_LE(built->metadata.input_tokens_used, 2'000);
}

TEST_F(FilledRoomTest, WhatAPlannerLeavesOutComesLast) {
  client_->then_reply(planner_reply(decision("a1", "exclude") + "," + decision("a2", "rag_extract", "keys", 60)));
  const auto text = shown(build(8'000));
  EXPECT_TRUE(contains(text, "Rosa feeds"));
  EXPECT_TRUE(contains(text, "eats at noon"));

  client_->then_reply(planner_reply(decision("a1", "exclude") + "," + decision("a2", "include_full")));
  const auto narrow = shown(build(3'000));
  EXPECT_TRUE(contains(narrow, "Rosa feeds"));
}

TEST_F(FilledRoomTest, WhatAHostLeavesOutStaysOut) {
  request_.plan = ArtifactPlan{};
  request_.plan->artifacts.push_back({context_.artifacts[0].artifact_id, ProcessingStrategy::exclude});
  const auto text = shown(build(8'000));
  EXPECT_FALSE(contains(text, "eats at noon"));
  EXPECT_TRUE(contains(text, "Rosa feeds"));
}

TEST_F(FilledRoomTest, ThePlanGivenBackGivesTheSameBytes) {
  for (const std::int64_t budget : {800, 2'000, 3'000, 4'500, 8'000}) {
    client_->then_reply(planner_reply(decision("a1", "exclude") + "," + decision("a2", "rag_extract", "keys", 60)));
    const auto first = build(budget);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->metadata.plan_source, PlanSource::llm);
    request_.plan = first->plan;
    const auto again = build(budget);
    ASSERT_TRUE(again);
    EXPECT_EQ(to_openai_json(again->messages), to_openai_json(first->messages)) << budget;
    request_.plan.reset();
  }
}

TEST_F(FilledRoomTest, EarlierTurnsThatAPlanLeavesOutComeBackToo) {
  context_.conversation_history.clear();
  say(Role::user, "The gate's code is 4711, remember it.");
  say(Role::assistant, "I will.");
  for (int i = 0; i < 12; ++i) {
    say(Role::user, words(150, "walk" + std::to_string(i)));
    say(Role::assistant, words(150, "talk" + std::to_string(i)));
  }
  say(Role::user, "What is the gate's code?");
  client_->then_reply(
      planner_reply(decision("a1", "exclude") + "," + decision("a2", "exclude") + "," + decision("a3", "exclude")));
  const auto built = build(3'000);
  EXPECT_TRUE(contains(shown(built), "4711"));
  EXPECT_LE(built->metadata.input_tokens_used, 3'000);
}

TEST_F(FilledRoomTest, WhatAPlanLooksForInEarlierTurnsGrowsByItsOwnQuery) {
  context_.artifacts.clear();
  context_.conversation_history.clear();
  say(Role::user, "The gate's code is 4711, remember it.");
  say(Role::assistant, "I will.");
  for (int i = 0; i < 12; ++i) {
    say(Role::user, words(150, "walk" + std::to_string(i)));
    say(Role::assistant, words(150, "talk" + std::to_string(i)) + "Rosa, talk and walk.");
  }
  say(Role::user, "What did Rosa say?");
  // The question speaks of others, and they would fill the room.
  for (const int target : {20, 60, 500, 100'000}) {
    client_->then_reply(planner_reply(decision("a1", "rag_extract", "code of the gate 4711", target)));
    const auto built = build(1'200);
    EXPECT_TRUE(contains(shown(built), "4711")) << target;
    EXPECT_TRUE(contains(shown(built), "Rosa")) << target;
    EXPECT_GT(built->metadata.input_tokens_used, 950) << target;
    EXPECT_LE(built->metadata.input_tokens_used, 1'200) << target;
    request_.plan = built->plan;
    EXPECT_EQ(shown(build(1'200)), shown(built)) << target;
    request_.plan.reset();
    context_.conversation_history.back().content = "What did Rosa say then? " + std::to_string(target);
  }
}

TEST_F(FilledRoomTest, WithoutAModelNothingChanges) {
  request_.planning.mode = PlannerMode::deterministic;
  const auto built = build(2'000);
  request_.plan = built->plan;
  EXPECT_EQ(shown(build(2'000)), shown(built));
}

/// Ten documents, each with one sentence that matters among many that do not.
class PlannersTest : public testing::BuildTest {
 protected:
  static constexpr int documents = 10;

  PlannersTest() {
    say(Role::user, "What are the codes of all lockers?");
    for (int i = 0; i < documents; ++i) {
      const auto name = "hall" + std::to_string(i);
      attach(name,
             words(60 + 90 * static_cast<std::size_t>(i), name + "wall") + fact(i) + "\n" + words(400, name + "floor"));
    }
  }

  static std::string fact(int i) {
    return "The code of locker " + std::to_string(i) + " is " + std::to_string(7'001 + 13 * i) + ".";
  }

  int kept(std::int64_t budget) {
    const auto built = build(budget);
    EXPECT_TRUE(built);
    EXPECT_LE(built->metadata.input_tokens_used, budget);
    const auto text = testing::all_text(built->messages);
    int facts = 0;
    for (int i = 0; i < documents; ++i) facts += contains(text, fact(i));
    return facts;
  }

  /// With a planner that decides so on every artifact; whose summaries say nothing.
  int kept_by(const std::string& strategy, const std::string& query, int tokens, std::int64_t budget) {
    client_ = std::make_shared<testing::ScriptedLlmClient>();
    std::string decisions;
    for (int i = 1; i <= documents; ++i)
      decisions += (i == 1 ? "" : ",") + decision("a" + std::to_string(i), strategy, query, tokens);
    client_->then_reply(planner_reply(decisions));
    for (int i = 0; i < documents; ++i) client_->then_reply("There are walls and floors.");
    use_client();
    request_.planning.mode = PlannerMode::llm;
    return kept(budget);
  }
};

TEST_F(PlannersTest, NoneOfThemMakesAContextWorse) {
  int without = 0;
  int summaries = 0;
  int nothing = 0;
  int wrong = 0;
  int silence = 0;
  for (std::int64_t budget = 600; budget <= 9'000; budget += 400) {
    options_.client.reset();
    request_.planning.mode = PlannerMode::deterministic;
    without += kept(budget);
    summaries += kept_by("summarize", "", 0, budget);
    nothing += kept_by("exclude", "", 0, budget);
    wrong += kept_by("rag_extract", "walls", 40, budget);
    silence += kept_by("unheard_of", "", 0, budget);
  }
  // In the smallest room a plan that asks for something leaves less of it to share.
  const auto least = without - std::max(1, without / 50);
  EXPECT_GE(without, 150);
  EXPECT_GE(summaries, least);
  EXPECT_GE(nothing, least);
  EXPECT_GE(wrong, least);
  EXPECT_GE(silence, least);
}

}  // namespace
}  // namespace ctxmgr
