#include <gtest/gtest.h>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

TEST(JsonReasoningTest, StepsComeBackTheSame) {
  ReasoningStepRecord step{2, "t", {{"f", R"({"a": 1})", "why"}}, {{"f", false, "", "boom", {}}}, {}};
  step.tool_results[0].execution_time = std::chrono::milliseconds(12);
  step.timestamp = Timestamp(std::chrono::milliseconds(1'500));
  const auto read = from_json<ReasoningStepRecord>(to_json(step));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(step));
  EXPECT_EQ(read->tool_predictions.at(0).arguments_json, R"({"a": 1})");
  EXPECT_EQ(read->tool_results.at(0).execution_time.count(), 12);
  EXPECT_EQ(read->timestamp, step.timestamp);
}

TEST(JsonReasoningTest, ResultsAndArgumentsMayBeStructured) {
  const auto step = from_json<ReasoningStepRecord>(
      R"({"tool_predictions":[{"tool_name":"f","arguments":{"q":1}}],"tool_results":[{"tool_name":"f","result":[true]}]})");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->tool_predictions.at(0).arguments_json, R"({"q":1})");
  EXPECT_EQ(step->tool_results.at(0).result, "[true]");
}

TEST(JsonReasoningTest, AbsurdTimesAreLeftAtZero) {
  for (const char* time : {"-1", "1e300", "\"1\""}) {
    const auto step =
        from_json<ReasoningStepRecord>(std::string(R"({"tool_results":[{"execution_time_ms":)") + time + "}]}");
    ASSERT_TRUE(step) << time;
    EXPECT_EQ(step->tool_results.at(0).execution_time.count(), 0);
  }
}

TEST(JsonReasoningTest, EventsOfALaterVersionAreReadAsUnknown) {
  const auto event = from_json<ReasoningEvent>(R"({"type":"telepathy","step_iteration":3,"metadata":{"a":1}})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, ReasoningEventType::unknown);
  EXPECT_EQ(event->step_iteration, 3);
  EXPECT_EQ(event->metadata_json, R"({"a":1})");
}

}  // namespace
}  // namespace ctxmgr
