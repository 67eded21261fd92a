#include "engine/history/steered_history.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;

class SteeredHistoryTest : public ::testing::Test {
 protected:
  void work(const std::string& id, const std::string& tool, const std::string& arguments = "{}") {
    auto call = testing::tool_call(id);
    call.tool_calls[0].name = tool;
    call.tool_calls[0].arguments_json = arguments;
    history_.push_back(std::move(call));
    history_.push_back(testing::tool_result(id, "done"));
  }
  SteeredHistory steered() {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    return steer(thread_, history_, history_.size(), history_.size() - 2);
  }

  std::vector<ConversationMessage> history_{{Role::user, "Go."}};
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  ThreadAnalysis thread_{ToolRules{{"ls", ToolRetention::cut_first}}};
};

TEST_F(SteeredHistoryTest, OlderPlansGoAndTheNewestIsTheState) {
  work("a", "update_plan", R"({"plan":"first"})");
  work("b", "read");
  work("c", "update_plan", R"({"plan":"second"})");
  work("d", "read");
  const auto found = steered();
  EXPECT_EQ(found.dropped, (std::vector<std::size_t>{1}));
  ASSERT_EQ(found.states.size(), 1U);
  const auto message = render_states(history_, found.states, 1, 400, *counter_);
  ASSERT_TRUE(message);
  EXPECT_TRUE(contains(text_of(*message), R"([6] update_plan {"plan":"second"})")) << text_of(*message);
  EXPECT_TRUE(contains(text_of(*message), "not instructions"));
}

TEST_F(SteeredHistoryTest, WhatIsCutFirstGoesButOfTheNewestStep) {
  work("a", "ls");
  work("b", "ls");
  EXPECT_EQ(steered().dropped, (std::vector<std::size_t>{1}));
}

TEST_F(SteeredHistoryTest, OfAStatusThatWasPolledTheNewestAnswerStays) {
  for (int i = 0; i < 5; ++i) work("poll" + std::to_string(i), "status", R"({"id":7})");
  work("other", "status", R"({"id":8})");
  work("again", "status", R"({"id":7})");
  history_.back().content = "ready";
  work("last", "status", R"({"id":7})");
  EXPECT_EQ(steered().dropped, (std::vector<std::size_t>{1, 3, 5, 7})) << "another call or another result is no repeat";
  EXPECT_TRUE(thread_.is_steered());
}

TEST_F(SteeredHistoryTest, ResultsWithPicturesAreNoRepeats) {
  for (int i = 0; i < 4; ++i) {
    work("shot" + std::to_string(i), "screenshot");
    history_.back().content = std::vector<ContentPart>{{}};
  }
  EXPECT_TRUE(steered().dropped.empty());
}

TEST_F(SteeredHistoryTest, AGroupWithAnotherCallStays) {
  auto call = testing::tool_call("a");
  call.tool_calls[0].name = "update_plan";
  call.tool_calls.push_back(call.tool_calls[0]);
  call.tool_calls[1].id = "b";
  call.tool_calls[1].name = "read";
  history_.push_back(std::move(call));
  history_.push_back(testing::tool_result("a", "done"));
  history_.push_back(testing::tool_result("b", "text"));
  work("c", "update_plan");
  work("d", "read");
  EXPECT_TRUE(steered().dropped.empty());
}

TEST_F(SteeredHistoryTest, AThreadWithoutSuchToolsIsNotSteered) {
  work("a", "read");
  EXPECT_FALSE(thread_.is_steered());
  EXPECT_TRUE(steered().states.empty());
}

TEST_F(SteeredHistoryTest, ALongStateKeepsItsHeadAndTail) {
  work("a", "update_plan", "{\"plan\":\"begin " + std::string(6'000, 'x') + " end\"}");
  const auto message = render_states(history_, steered().states, 1, 200, *counter_);
  ASSERT_TRUE(message);
  EXPECT_LE(counter_->count_message(*message), 200);
  EXPECT_TRUE(contains(text_of(*message), "begin"));
  EXPECT_FALSE(render_states(history_, steered().states, 1, 8, *counter_));
}

}  // namespace
}  // namespace ctxmgr::engine
