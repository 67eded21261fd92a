#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ctxmgr/core/reasoning.hpp"

namespace ctxmgr {
namespace {

using Type = ReasoningEventType;

TEST(ReasoningTest, RebuildsAStepFromTheEventsOfItsIteration) {
  const auto parsed = parse_reasoning_events_to_steps({
      {Type::iteration_start, 1, "{}", ""},
      {Type::planning, 1,
       R"({"thought":"look it up","tool_predictions":[{"tool_name":"search","arguments":{"q":"x"}}]})", ""},
      {Type::tool_execution_start, 1,
       R"({"tool_predictions":[{"tool_name":"search","arguments":{"q":"x"},"reasoning":"r"}]})", ""},
      {Type::tool_result, 1,
       R"({"tool_results":[{"tool_name":"search","success":true,"result":{"hits":[1]},"execution_time_ms":12.7}]})",
       ""},
      {Type::iteration_complete, 1, "", ""},
  });
  ASSERT_EQ(parsed.size(), 1U);
  const ReasoningStepRecord& step = parsed[0];
  EXPECT_EQ(step.step_index, 0);
  EXPECT_EQ(step.thought, "look it up");
  ASSERT_EQ(step.tool_predictions.size(), 1U);
  EXPECT_EQ(step.tool_predictions[0].arguments_json, R"({"q":"x"})");
  EXPECT_EQ(step.tool_predictions[0].reasoning, "r");
  ASSERT_EQ(step.tool_results.size(), 1U);
  EXPECT_EQ(step.tool_results[0].result, R"({"hits":[1]})");
  EXPECT_EQ(step.tool_results[0].execution_time.count(), 12);
}

TEST(ReasoningTest, StepsComeInOrderOfIterationWithoutTheEmptyOnes) {
  const auto parsed = parse_reasoning_events_to_steps({{Type::planning, 3, R"({"thought":"c"})", ""},
                                                       {Type::iteration_start, 2, "", ""},
                                                       {Type::planning, 1, R"({"thought":"a"})", ""}});
  ASSERT_EQ(parsed.size(), 2U);
  EXPECT_EQ(parsed[0].step_index, 0);
  EXPECT_EQ(parsed[1].step_index, 2);
}

TEST(ReasoningTest, WhatOtherReasonersSayEntersTheThought) {
  const auto parsed = parse_reasoning_events_to_steps({
      {Type::planning, 1, R"({"thought":"try it"})", ""},
      {Type::external_reasoning, 1, R"({"reasoning":"the index is stale"})", ""},
      {Type::external_reasoning, 3, R"({"tokens":7})", ""},
  });
  ASSERT_EQ(parsed.size(), 1U);
  EXPECT_EQ(parsed[0].thought, "try it\nthe index is stale");
}

TEST(ReasoningTest, AnErrorIsAFailedResultOfItsStepBehindTheOthers) {
  const auto parsed = parse_reasoning_events_to_steps({
      {Type::planning, 1, R"({"thought":"try it","tool_predictions":[{"tool_name":"search","arguments":{"q":1}}]})",
       ""},
      {Type::error, 1, "{}", "connection refused"},
      {Type::tool_result, 1, R"({"tool_results":[{"tool_name":"search","success":false,"error":"timeout"}]})", ""},
      {Type::error, 1, R"({"tool_name":"search"})", "timeout"},
      {Type::error, 2, R"({"error":"no such table"})", ""},
      {Type::error, 3, "{}", ""},
  });
  ASSERT_EQ(parsed.size(), 2U);
  const auto& results = parsed[0].tool_results;
  ASSERT_EQ(results.size(), 2U) << "what a result reports already is not said twice";
  EXPECT_EQ(results[0].error, "timeout");
  EXPECT_EQ(results[1].tool_name, "error");
  EXPECT_EQ(results[1].error, "connection refused");
  EXPECT_FALSE(results[1].success);
  EXPECT_EQ(parsed[0].thought, "try it");
  EXPECT_EQ(parsed[1].tool_results.at(0).error, "no such table");
}

TEST(ReasoningTest, WhatWasStartedKeepsTheReasonsOfThePlan) {
  const auto parsed = parse_reasoning_events_to_steps({
      {Type::planning, 1,
       R"({"tool_predictions":[{"tool_name":"read","arguments":{"n":1},"reasoning":"first"},
           {"tool_name":"read","arguments":{"n":2},"reasoning":"second"},
           {"tool_name":"search","arguments":{"q":"x"},"reasoning":"third"}]})",
       ""},
      {Type::tool_execution_start, 1,
       R"({"tool_predictions":[{"tool_name":"read","arguments":{"n":2}},{"tool_name":"search"},
           {"tool_name":"read","arguments":{"n":1},"reasoning":"its own"},{"tool_name":"list"}]})",
       ""},
  });
  const auto& calls = parsed.at(0).tool_predictions;
  ASSERT_EQ(calls.size(), 4U) << "what was planned and never started is no call";
  EXPECT_EQ(calls[0].reasoning, "second");
  EXPECT_EQ(calls[1].reasoning, "third");
  EXPECT_EQ(calls[1].arguments_json, R"({"q":"x"})");
  EXPECT_EQ(calls[2].reasoning, "its own");
  EXPECT_EQ(calls[3].reasoning, "");
}

TEST(ReasoningTest, SkipsWhatItCannotUse) {
  const auto parsed = parse_reasoning_events_to_steps({
      {Type::unknown, 1, R"({"thought":"a"})", ""},
      {Type::planning, 0, R"({"thought":"a"})", ""},
      {Type::planning, 1, "not json", ""},
      {Type::tool_result, 1, R"({"tool_results":"none"})", ""},
      {Type::tool_result, 1, R"({"tool_results":[{"success":true},7]})", ""},
      {Type::tool_result, 1, R"({"tool_results":[7,{"tool_name":"kept","result":"r"}]})", ""},
  });
  ASSERT_EQ(parsed.size(), 1U);
  EXPECT_EQ(parsed[0].tool_results.at(0).tool_name, "kept");
}

TEST(ReasoningTest, NeverFailsWhateverTheEventsHold) {
  rc::check([](const std::vector<std::string>& texts, int iteration) {
    std::vector<ReasoningEvent> events;
    for (const std::string& text : texts) {
      events.push_back({static_cast<Type>(*rc::gen::inRange(0, 9)), iteration, text, text});
    }
    const auto parsed = parse_reasoning_events_to_steps(events);
    RC_ASSERT(parsed.size() <= events.size());
  });
}

}  // namespace
}  // namespace ctxmgr
