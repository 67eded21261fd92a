#include "c/requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr::c {
namespace {

using ::testing::HasSubstr;

TEST(CRequestsTest, EveryOptionReachesTheBuild) {
  const auto call = read_build_call(
      R"({"form":"anthropic","body":{"messages":[]},"session":"s","deadline_ms":50,"cache_control":true,
          "max_input_tokens":9,"context_window_tokens":99,"reserved_output_tokens":7,"query":"q","thread_state":"t",
          "scope":"c","tools_budget":8,"pinned_tools":["x"],"shape":"mistral","compact_now":true,"tells_room":true,"calibration":1.5,
          "planner":"none","context_planner":"p","summarizer":"m","check_summaries":true,
          "summary_instructions":{"text":"t","sections":["A","B"],"language":"fr"},
          "history":{"target_fill":0.25,"evidence_share":0.75,"notes_share":0.125,
                     "oversized":"shrink","service_compacts_at":5}})");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->form, WireForm::anthropic);
  EXPECT_EQ(call->body, R"({"messages":[]})");
  EXPECT_EQ(call->session, "s");
  EXPECT_EQ(call->deadline_ms, 50);
  EXPECT_TRUE(call->place_cache_control);
  const auto& options = call->options;
  EXPECT_EQ(options.budget.max_input_tokens, 9);
  EXPECT_EQ(options.budget.context_window_tokens, 99);
  EXPECT_EQ(options.budget.reserved_output_tokens, 7);
  EXPECT_EQ(options.query, "q");
  EXPECT_EQ(options.thread_state.opaque, "t");
  EXPECT_EQ(options.scope, "c");
  EXPECT_EQ(options.tools_budget, 8);
  EXPECT_EQ(options.pinned_tools, std::vector<std::string>{"x"});
  ASSERT_TRUE(options.shape);
  EXPECT_TRUE(options.shape->answer_after_tool);
  EXPECT_TRUE(options.compact_now);
  EXPECT_TRUE(options.tells_room);
  EXPECT_EQ(options.budget.calibration, 1.5);
  EXPECT_EQ(options.planning.mode, PlannerMode::none);
  EXPECT_EQ(options.models.context_planner, "p");
  EXPECT_EQ(options.models.summarizer, "m");
  EXPECT_EQ(options.history.target_fill, 0.25);
  EXPECT_EQ(options.history.evidence_share, 0.75);
  EXPECT_EQ(options.history.notes_share, 0.125);
  EXPECT_EQ(options.history.oversized, Oversized::shrink);
  EXPECT_EQ(options.history.service_compacts_at, 5);
  EXPECT_TRUE(options.planning.check_summaries);
  EXPECT_EQ(options.planning.summary_instructions.text, "t");
  EXPECT_EQ(options.planning.summary_instructions.sections, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(options.planning.summary_instructions.language, "fr");
}

TEST(CRequestsTest, AMisspelledOptionIsNamed) {
  EXPECT_THAT(read_build_call(R"({"body":{},"quary":"x"})").error().message, HasSubstr("quary"));
  EXPECT_THAT(read_build_call(R"({"body":{},"history":{"target_fil":1}})").error().message, HasSubstr("target_fil"));
  EXPECT_THAT(read_build_call(R"({"body":{},"summary_instructions":{"lang":"fr"}})").error().message,
              HasSubstr("lang"));
  EXPECT_THAT(read_build_call(R"({"body":{},"form":"soap"})").error().message, HasSubstr("openai"));
  EXPECT_THAT(read_build_call(R"({"body":{},"shape":"soap"})").error().message, HasSubstr("soap"));
  EXPECT_THAT(read_build_call(R"({"body":"text"})").error().message, HasSubstr("body"));
  EXPECT_THAT(read_manager_options(R"({"stor":1})").error().message, HasSubstr("stor"));
  EXPECT_THAT(read_manager_options(R"({"catalog":{"models":3}})").error().message, HasSubstr("catalog"));
  EXPECT_THAT(read_tool_request(R"({"name":"x"})").error().message, HasSubstr("session"));
}

TEST(CRequestsTest, ArgumentsOfAToolMayBeTextOrAnObject) {
  EXPECT_EQ(read_tool_request(R"({"session":"s","arguments":"{\"a\":1}"})")->arguments, R"({"a":1})");
  EXPECT_EQ(read_tool_request(R"({"session":"s","arguments":{"a":1}})")->arguments, R"({"a":1})");
}

}  // namespace
}  // namespace ctxmgr::c
