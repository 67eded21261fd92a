#include "ctxmgr/engine/context_manager.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::tool_call;
using testing::tool_result;
using testing::words;

/// A manager that needs nothing, on a clock that stands still.
class ContextManagerTest : public ::testing::Test {
 protected:
  ContextManagerTest() { options_.clock = std::make_shared<testing::ManualClock>(); }

  Result<BuiltContext> build(std::int64_t budget) {
    BuildRequest request = request_;
    request.budget.max_input_tokens = budget;
    return ContextManager(options_).build(context_, request);
  }
  void say(Role role, const std::string& text) { context_.conversation_history.push_back({role, text}); }
  void add(ConversationMessage message) { context_.conversation_history.push_back(std::move(message)); }
  static std::string all_text(const BuiltContext& built) {
    std::string text;
    for (const auto& message : built.messages) text += text_of(message) + "\n";
    return text;
  }

  ContextManagerOptions options_;
  Context context_;
  BuildRequest request_;
};

TEST_F(ContextManagerTest, WhatFitsIsSentAsItIs) {
  say(Role::system, "Be brief.");
  say(Role::user, "Hello");
  say(Role::assistant, "Hi.");
  say(Role::user, "What is new?");
  const auto built = build(1'000);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(to_openai_json(built->messages), to_openai_json(context_.conversation_history));
  EXPECT_EQ(built->metadata.messages_included, 4U);
  EXPECT_EQ(built->metadata.messages_excluded, 0U);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::none);
}

TEST_F(ContextManagerTest, ASmallDocumentGoesInWholeBeforeTheQuestion) {
  say(Role::system, "Answer from the report.");
  say(Role::user, "What drove the loss?");
  context_.artifacts.push_back(make_document("report.md", "The loss came from currency effects."));
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  ASSERT_EQ(built->messages.size(), 3U);
  EXPECT_EQ(built->messages[1].role, Role::user);
  EXPECT_NE(text_of(built->messages[1]).find("The loss came from currency effects."), std::string::npos);
  EXPECT_EQ(text_of(built->messages[2]), "What drove the loss?");
  EXPECT_EQ(built->metadata.artifacts_included, 1U);
}

TEST_F(ContextManagerTest, ALargeDocumentIsReducedToWhatAnswersTheQuestion) {
  say(Role::user, "What drove the loss in the third quarter?");
  context_.artifacts.push_back(make_document(
      "report.md",
      words(2'000) + "\n\nThe loss in the third quarter was driven by currency effects.\n\n" + words(2'000)));
  const auto built = build(600);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_NE(all_text(*built).find("driven by currency effects"), std::string::npos);
  EXPECT_LE(built->metadata.input_tokens_used, 600);
  EXPECT_EQ(built->metadata.artifacts_transformed, 1U);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
}

TEST_F(ContextManagerTest, FixedPartsOverTheBudgetAreATypedErrorWithTheFigures) {
  say(Role::system, words(300));
  say(Role::user, "Hello");
  const auto built = build(100);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::budget_exceeded);
  EXPECT_NE(built.error().message.find("100"), std::string::npos);
  request_.budget.calibration = 2.0;
  EXPECT_NE(build(100).error().message.find("; 50 is 100 divided by 2.00"), std::string::npos);
}

TEST_F(ContextManagerTest, ARuleOfAChatStandsInARequestWithoutAState) {
  say(Role::user, "Hello.");
  say(Role::assistant, "Hello.");
  say(Role::user, "Always answer in verse, never in prose.");
  say(Role::assistant, "So I shall.");
  for (int i = 0; i < 60; ++i) {
    say(Role::user, "Garden number " + std::to_string(i) + " has a gate of oak. " + words(20));
    say(Role::assistant, words(80));
  }
  say(Role::user, "It is late now.");
  for (const std::int64_t budget : {600, 1'000, 2'000, 4'000, 8'000}) {
    const auto built = build(budget);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_NE(all_text(*built).find("Always answer in verse, never in prose."), std::string::npos) << budget;
    EXPECT_LE(built->metadata.input_tokens_used, budget);
  }
}

TEST_F(ContextManagerTest, AnOversizedQuestionKeepsHeadAndTailUnlessThatIsForbidden) {
  say(Role::user, "HEAD " + words(2'000) + " TAIL");
  request_.history.oversized = Oversized::fail;
  EXPECT_EQ(build(200).error().code, ErrorCode::budget_exceeded);
  request_.history.oversized = HistoryPolicy().oversized;
  for (const std::int64_t budget : {60, 100, 400, 1'600}) {
    const auto fitted = build(budget);
    ASSERT_TRUE(fitted) << budget << ": " << fitted.error().message;
    EXPECT_LE(fitted->metadata.input_tokens_used, budget);
  }
  const auto built = build(200);
  ASSERT_TRUE(built) << built.error().message;
  const auto text = all_text(*built);
  EXPECT_NE(text.find("HEAD"), std::string::npos);
  EXPECT_NE(text.find("TAIL"), std::string::npos);
  EXPECT_NE(text.find("left out"), std::string::npos);
  EXPECT_LE(built->metadata.input_tokens_used, 200);
}

TEST_F(ContextManagerTest, AHistoryThatDoesNotFitIsCutFromItsOldestWithoutGaps) {
  say(Role::user, "old " + words(100));
  say(Role::assistant, words(3'000));
  say(Role::user, "newer question");
  say(Role::assistant, "newer answer");
  say(Role::user, "now?");
  const auto built = build(400);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(text_of(built->messages.back()), "now?");
  EXPECT_EQ(built->metadata.messages_included + built->metadata.messages_excluded, 5U);
  EXPECT_EQ(built->metadata.messages_excluded, 2U);
}

TEST_F(ContextManagerTest, PinnedMessagesStayWhereverTheyAre) {
  say(Role::user, "the one rule: never delete");
  context_.conversation_history[0].retention = Retention::pinned;
  for (int i = 0; i < 20; ++i) {
    say(Role::user, words(60));
    say(Role::assistant, words(60));
  }
  say(Role::user, "go on");
  const auto built = build(500);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(text_of(built->messages.front()), "the one rule: never delete");
}

TEST_F(ContextManagerTest, AnOverrideReplacesAllSystemMessages) {
  say(Role::system, "first");
  say(Role::user, "hello");
  say(Role::system, "second");
  context_.system_prompt_override = "the override";
  const auto built = build(500);
  ASSERT_TRUE(built);
  ASSERT_EQ(built->messages.size(), 2U);
  EXPECT_EQ(text_of(built->messages[0]), "the override");
  EXPECT_EQ(built->metadata.messages_excluded, 2U);
}

TEST_F(ContextManagerTest, AToolResultWithoutItsCallIsData) {
  say(Role::user, "hello");
  add(tool_result("call_9", "text"));
  const auto built = build(500);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_NE(all_text(*built).find("<data-"), std::string::npos) << all_text(*built);
}

TEST_F(ContextManagerTest, AMendedHistoryIsCountedAsItWasGiven) {
  say(Role::user, "hello");
  add(tool_call("call_1", "search"));  // Interrupted: its result is made up.
  say(Role::user, "are you there?");
  add(tool_result("call_9", "text"));  // Its call is lost: an artifact.
  auto torn = tool_call("call_2", "search");
  torn.tool_calls.push_back({"call_3", "search", "{}"});
  add(torn);
  add(tool_result("call_2", "found"));  // Of two results the second is made up.
  const auto built = build(2'000);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->metadata.messages_included, 5U);
  EXPECT_EQ(built->metadata.messages_excluded, 1U) << "the lost result";
  EXPECT_EQ(built->metadata.artifacts_total, 1U);
}

TEST_F(ContextManagerTest, WhereTheLastUserMessageIsNotWholeTheReceiptSaysSo) {
  say(Role::user, "Look at these: " + words(1'900));
  for (int i = 0; i < 8; ++i) {
    add(tool_call("call_" + std::to_string(i), "search"));
    add(tool_result("call_" + std::to_string(i), words(150, "row")));
  }
  request_.tools = {{"search", "", {}, {}}};
  const auto& question = text_of(context_.conversation_history[0]);
  const auto is_named = [](const BuiltContext& built) {
    const auto& notes = built.metadata.notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("last user message was shortened") != std::string::npos;
    });
  };
  bool was_shortened = false;
  for (std::int64_t budget = 4'200; budget < 9'000; budget += 400) {
    const auto built = build(budget);
    if (!built) continue;
    const bool is_whole = all_text(*built).find(question) != std::string::npos;
    was_shortened = was_shortened || !is_whole;
    EXPECT_EQ(is_named(*built), !is_whole) << budget;
  }
  EXPECT_TRUE(was_shortened);
}

TEST_F(ContextManagerTest, FiguresThatAreNoneAndNamesThatNobodyHasAreInvalid) {
  const auto is_invalid = [this](const std::function<void(BuildRequest&)>& change) {
    request_ = {};
    change(request_);
    const auto built = build(500);
    return !built && built.error().code == ErrorCode::invalid_argument;
  };
  const auto no_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_invalid([](BuildRequest&) {})) << "nothing to send";
  say(Role::user, "hello");
  EXPECT_FALSE(is_invalid([](BuildRequest&) {}));
  EXPECT_TRUE(is_invalid([](BuildRequest& r) { r.planning.max_planning_tokens = -1; }));
  EXPECT_TRUE(is_invalid([](BuildRequest& r) { r.planning.planner_timeout = std::chrono::milliseconds(-1); }));
  EXPECT_TRUE(is_invalid([](BuildRequest& r) { r.pinned_tools = {"send_mail"}; }));
  options_.gate.fits_with_buffer = no_number;
  EXPECT_TRUE(is_invalid([](BuildRequest&) {}));
  options_.gate = {};
  options_.gate.expected_remaining_turns = -1;
  EXPECT_TRUE(is_invalid([](BuildRequest&) {}));
}

TEST_F(ContextManagerTest, ANullCounterIsAnErrorWithItsPlace) {
  say(Role::user, "hello");
  options_.token_counters.emplace_back();
  const auto place = "token_counters[" + std::to_string(options_.token_counters.size() - 1) + "]";
  const auto built = build(500);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(built.error().message, place + " is null");
}

TEST_F(ContextManagerTest, TwoArtifactsOfOneIdAreInvalid) {
  say(Role::user, "hello");
  context_.artifacts = {make_document("a", "one"), make_document("a", "two")};
  EXPECT_EQ(build(500).error().code, ErrorCode::invalid_argument);
}

TEST_F(ContextManagerTest, StepsOfTheTurnBecomeOneMessageAtTheEnd) {
  say(Role::user, "Find it.");
  ReasoningStepRecord step;
  step.thought = "I will search.";
  step.tool_predictions.push_back({"web_search", "{\"q\":\"it\"}", "because"});
  step.tool_results.push_back({"web_search", true, "It is in the drawer."});
  step.tool_predictions.push_back({"web_fetch", "{}", ""});
  step.tool_results.push_back({"web_fetch", false, "", "connection refused"});
  context_.step_records.push_back(step);
  const auto built = build(1'000);
  ASSERT_TRUE(built) << built.error().message;
  const auto last = text_of(built->messages.back());
  for (const char* part : {"I will search.", "web_search", "It is in the drawer.", "connection refused"}) {
    EXPECT_NE(last.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(built->messages.back().role, Role::user);
}

TEST_F(ContextManagerTest, AnErrorOfAnEarlierRunIsInAFollowUpRequest) {
  ConversationMessage answer{Role::assistant, "I could not find it."};
  answer.reasoning_steps =
      parse_reasoning_events_to_steps({{ReasoningEventType::planning, 1, R"({"thought":"ask the index"})", ""},
                                       {ReasoningEventType::error, 1, "{}", "connection refused by heliotrope"}});
  say(Role::user, "Where is the invoice?");
  add(answer);
  say(Role::user, "Why did the index fail?");
  EXPECT_NE(all_text(build(2'000).value()).find("connection refused by heliotrope"), std::string::npos);
}

TEST_F(ContextManagerTest, AResultThatIsAlsoAMessageIsNotSentTwice) {
  say(Role::user, "Find it.");
  add(tool_call("call_1", "web_search"));
  add(tool_result("call_1", "It is in the drawer."));
  ReasoningStepRecord step;
  step.tool_predictions.push_back({"web_search", "{}", ""});
  step.tool_results.push_back({"web_search", true, "It is in the drawer."});
  context_.step_records.push_back(step);
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  const auto text = all_text(*built);
  EXPECT_EQ(text.find("It is in the drawer."), text.rfind("It is in the drawer."));
  EXPECT_EQ(built->metadata.artifacts_included, 1U);
}

TEST_F(ContextManagerTest, TheSameInputGivesTheSameBytesOnAnyManager) {
  say(Role::user, "What drove the loss?");
  for (int i = 0; i < 5; ++i)
    context_.artifacts.push_back(make_document("doc" + std::to_string(i), words(500, "loss")));
  const auto first = build(700);
  const auto second = build(700);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(to_openai_json(first->messages), to_openai_json(second->messages));
  EXPECT_EQ(first->thread_state.opaque, second->thread_state.opaque);
}

TEST_F(ContextManagerTest, APlannersReplyDecidesAndIsAccountedFor) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  LlmResponse plan;
  plan.message = {
      Role::assistant,
      R"({"reasoning":"r","decisions":[{"artifact":"a1","strategy":"exclude","priority":1,"rationale":"n","focus":"","query":"","target_tokens":0}]})"};
  plan.usage.prompt_tokens = 500;
  plan.usage.calls = 1;
  client->then_reply(plan);
  options_.client = client;
  request_.planning.mode = PlannerMode::llm;
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  const auto built = build(10'000);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(client->requests().size(), 1U);
  EXPECT_TRUE(built->metadata.llm_planning_used);
  EXPECT_EQ(built->metadata.planning_usage.planner.prompt_tokens, 500);
  EXPECT_EQ(built->metadata.artifacts_processed[0].reason, "in the room that the plan left");
}

TEST_F(ContextManagerTest, AFailingPlannerCostsItsPlanAndNothingElse) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  client->then_reply("no plan today");
  options_.client = client;
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  const auto built = build(2'000);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_FALSE(built->metadata.llm_planning_used);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
  EXPECT_NE(built->metadata.plan_reason.find("planner failed"), std::string::npos);
}

TEST_F(ContextManagerTest, AFailingPlannerFailsTheBuildWhereThatIsAskedFor) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  client->then_fail({ErrorCode::unavailable, "service is down", {}});
  options_.client = client;
  request_.planning.mode = PlannerMode::llm_or_fail;
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  EXPECT_EQ(build(2'000).error().code, ErrorCode::unavailable);
}

TEST_F(ContextManagerTest, WithoutAScopeNobodyLearnsWhatAnotherUserAskedFor) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  const auto plan = [](const std::string& focus) {
    return R"({"reasoning":"r","decisions":[{"artifact":"a1","strategy":"summarize","priority":1,"rationale":"n","focus":")" +
           focus + R"(","query":"","target_tokens":200}]})";
  };
  client->then_reply(plan("the dismissal of Ada")).then_reply("Nothing but filler.");
  client->then_reply(plan("losses")).then_reply("Nothing but filler.");
  options_.client = client;
  const ContextManager manager(options_);
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  request_.budget.max_input_tokens = 2'000;
  ASSERT_TRUE(manager.build(context_, request_));
  const auto second = manager.build(context_, request_);
  ASSERT_TRUE(second);
  const auto requests = client->requests();
  ASSERT_EQ(requests.size(), 4U);
  for (const auto& message : requests[2].messages) EXPECT_EQ(text_of(message).find("dismissal"), std::string::npos);
  EXPECT_EQ(second->metadata.cache_stats.hits, 0);
}

TEST_F(ContextManagerTest, WithoutAScopeSummariesStayInTheProcessAndAStoreOfOthersHasNone) {
  const std::string plan =
      R"({"reasoning":"r","decisions":[{"artifact":"a1","strategy":"summarize","priority":1,"rationale":"n","focus":"losses","query":"","target_tokens":200}]})";
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  request_.budget.max_input_tokens = 2'000;
  for (const bool is_shared : {false, true}) {
    const auto client = std::make_shared<testing::ScriptedLlmClient>();
    client->then_reply(plan).then_reply("Nothing but filler.").then_reply(plan).then_reply("Nothing but filler.");
    options_.client = client;
    options_.summary_store = is_shared ? make_memory_key_value_store() : nullptr;
    const ContextManager manager(options_);
    ASSERT_TRUE(manager.build(context_, request_));
    const auto second = manager.build(context_, request_);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->metadata.cache_stats.hits, is_shared ? 0 : 1);
    EXPECT_EQ(to_json(second->metadata).find("no scope is set") != std::string::npos, is_shared);
  }
}

TEST_F(ContextManagerTest, ASummaryIsMadeOnceAndThenComesFromTheCache) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  const std::string plan =
      R"({"reasoning":"r","decisions":[{"artifact":"a1","strategy":"summarize","priority":1,"rationale":"n","focus":"losses","query":"","target_tokens":200}]})";
  client->then_reply(plan).then_reply("Nothing but filler.").then_reply(plan);
  options_.client = client;
  const ContextManager manager(options_);
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  request_.scope = "session";
  request_.budget.max_input_tokens = 2'000;
  const auto first = manager.build(context_, request_);
  ASSERT_TRUE(first);
  EXPECT_NE(all_text(*first).find("Nothing but filler."), std::string::npos);
  EXPECT_EQ(first->metadata.cache_stats.misses, 1);
  const auto second = manager.build(context_, request_);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->metadata.cache_stats.hits, 1);
  EXPECT_TRUE(second->metadata.artifacts_processed[0].cache_hit);
  EXPECT_EQ(client->requests().size(), 3U);
  EXPECT_EQ(to_openai_json(first->messages), to_openai_json(second->messages));
}

TEST_F(ContextManagerTest, ASummaryThatInventsIsReplacedByAnExtract) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  client
      ->then_reply(
          R"({"reasoning":"r","decisions":[{"artifact":"a1","strategy":"summarize","priority":1,"rationale":"n","focus":"","query":"","target_tokens":200}]})")
      .then_reply("The total was 4711 USD.");
  options_.client = client;
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(all_text(*built).find("4711"), std::string::npos);
  EXPECT_NE(built->metadata.artifacts_processed[0].reason.find("extracted"), std::string::npos);
}

TEST_F(ContextManagerTest, ACancelledBuildSaysSo) {
  say(Role::user, "question");
  CallOptions call_options;
  call_options.cancellation = CancellationToken([] { return true; });
  const auto built = ContextManager(options_).build(context_, request_, call_options);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::cancelled);
}

TEST_F(ContextManagerTest, APastDeadlineFallsBackWithoutACall) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  options_.client = client;
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  request_.budget.max_input_tokens = 2'000;
  CallOptions call_options;
  call_options.deadline = options_.clock->steady_now();
  const auto built = ContextManager(options_).build(context_, request_, call_options);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(client->requests().empty());
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
}

TEST_F(ContextManagerTest, TheDryRunSaysWhatAModelWouldCostAndAsksNobody) {
  const auto client = std::make_shared<testing::ScriptedLlmClient>();
  options_.client = client;
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  request_.budget.max_input_tokens = 2'000;
  const auto preview = ContextManager(options_).plan(context_, request_);
  ASSERT_TRUE(preview);
  EXPECT_TRUE(client->requests().empty());
  EXPECT_TRUE(preview->would_use_llm);
  EXPECT_EQ(preview->gate_reason, "near_or_over_limit");
  EXPECT_EQ(preview->expected_llm_calls, 2U);
  EXPECT_GT(preview->tokens_saved, 0);
}

TEST_F(ContextManagerTest, TheDryRunTellsNobodyOfWhatItOnlyTries) {
  std::vector<EventKind> heard;
  options_.observer = make_observer([&](const Event& event) { heard.push_back(event.kind); });
  say(Role::user, "question");
  context_.artifacts.push_back(make_document("long.txt", words(3'000)));
  request_.budget.max_input_tokens = 2'000;
  ASSERT_TRUE(ContextManager(options_).plan(context_, request_));
  EXPECT_TRUE(heard.empty());
  ASSERT_TRUE(ContextManager(options_).build(context_, request_));
  EXPECT_NE(std::find(heard.begin(), heard.end(), EventKind::artifact_shortened), heard.end());
}

TEST_F(ContextManagerTest, TheObserverHearsOfWhatTheReceiptNotes) {
  std::vector<std::string> warnings;
  std::vector<std::string> codes;
  options_.observer = make_observer([&](const Event& event) {
    if (event.kind != EventKind::warning) return;
    warnings.emplace_back(std::get<std::string_view>(event.fields[0].value));
    codes.emplace_back(std::get<std::string_view>(event.fields[1].value));
  });
  say(Role::user, "question");
  request_.budget.context_window_tokens = 16'000;
  const auto built = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(built);
  EXPECT_FALSE(warnings.empty());
  EXPECT_EQ(warnings, built->metadata.notes);
  EXPECT_EQ(codes, std::vector<std::string>{"tokens_estimated"});
  EXPECT_EQ(built->metadata.note_codes, std::vector<NoteCode>{NoteCode::tokens_estimated});
}

}  // namespace
}  // namespace ctxmgr
