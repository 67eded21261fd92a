#include "baselines.hpp"

#include <gtest/gtest.h>

#include "tools/priced_run.hpp"

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::Figures;
using ctxpack::Look;
using ctxpack::Measure;
using ctxpack::MessagePool;

class BaselinesTest : public ctxpack::test::PricedRunTest {
 protected:
  double found(const ctxpack::TailOptions& options, Measure measure) {
    MessagePool pool(run, counter);
    return ctxpack::account_for_tail(run, pool, scale, options).recall(measure).found;
  }

  /// A result that has a name, far back, and much after it.
  void record_a_name() {
    run.messages = {{Role::user, "task"}, {Role::assistant, "the_name is 7"}};
    for (int i = 0; i < 4; ++i) run.messages.push_back({Role::assistant, std::string(30, 'x') + std::to_string(i)});
    run.messages.push_back({Role::user, "Which is the_name?"});
    run.messages.push_back({Role::assistant, "7"});
    resize();
    want(5, {Measure::literals, Look::name, {"the_name"}});
    run.asks = {{6, "value", "Which is the_name?", {"the_name is 7"}, 0, {}, 1'000, 1'000}};
    want(7, {Measure::asked_back, Look::near, {"the_name is 7"}});
    scale.budget = 140;
  }
};

TEST_F(BaselinesTest, CutToHalfDropsTheOldestButWhatWasAskedAndItsNewest) {
  const std::string long_text(30, 'x');
  run.messages = {{Role::system, "s"},
                  {Role::user, "task"},
                  {Role::assistant, long_text + "1"},
                  {Role::assistant, long_text + "2"},
                  {Role::assistant, long_text + "3"},
                  {Role::assistant, "end"}};
  resize();
  scale.budget = 90;
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_tail(run, pool, scale, {});
  EXPECT_EQ(figures.steps, 4);
  EXPECT_EQ(figures.compactions, 1);
  EXPECT_EQ(figures.over_budget, 0);
  // 3 + 2 + 5 fixed; then one message more at each step, until the fourth keeps the newest alone.
  EXPECT_EQ(figures.tokens, 10 + 42 + 74 + 42);
}

TEST_F(BaselinesTest, CutToHalfKeepsCallsWithTheirResults) {
  ConversationMessage call{Role::assistant, std::string(40, 'a')};
  call.tool_calls.push_back({"c", "f", "{}", {}});
  run.messages = {{Role::user, "task"}, call, {Role::tool, std::string(50, 'r')}, {Role::assistant, "end"}};
  run.messages[2].tool_call_id = "c";
  resize();
  scale.budget = 60;
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_tail(run, pool, scale, {});
  EXPECT_EQ(figures.over_budget, 1) << "the newest group stays, whatever its size";
}

TEST_F(BaselinesTest, WhatWasCutLeavesALineOfItsNames) {
  record_a_name();
  scale.budget = 90;
  EXPECT_EQ(found({}, Measure::literals), 0);
  EXPECT_EQ(found({0.1, 0}, Measure::literals), 1);
}

TEST_F(BaselinesTest, PassagesStandBeforeTheQuestionTheyAreFor) {
  record_a_name();
  EXPECT_EQ(found({}, Measure::asked_back), 0);
  EXPECT_EQ(found({0, 40}, Measure::asked_back), 1);
}

TEST_F(BaselinesTest, ResultsOfCallsWithoutArgumentsAreSearched) {
  record_a_name();
  run.messages[1].tool_calls.push_back({"c", "f", "{}", {}});
  run.messages[2] = {Role::tool, "the_name is 7"};
  run.messages[2].tool_call_id = "c";
  run.messages[1].content = std::string("calls");
  EXPECT_EQ(found({0, 40}, Measure::asked_back), 1);
}

TEST_F(BaselinesTest, ALongResultKeepsItsHeadAndItsTail) {
  run.messages = {{Role::user, "task"},
                  {Role::assistant, "calls"},
                  {Role::tool, "head " + std::string(500, '.') + " tail"},
                  {Role::assistant, "end"}};
  run.messages[1].tool_calls.push_back({"c", "f", "{}", {}});
  run.messages[2].tool_call_id = "c";
  resize();
  want(3, {Measure::literals, Look::name, {"head"}});
  want(3, {Measure::literals, Look::name, {"tail"}});
  scale.budget = 150;
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_tail(run, pool, scale, {});
  EXPECT_EQ(figures.over_budget, 0);
  EXPECT_EQ(figures.recall(Measure::literals).found, 2);
}

}  // namespace
