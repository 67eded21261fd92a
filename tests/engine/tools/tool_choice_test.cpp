#include "engine/tools/tool_choice.hpp"

#include <algorithm>

#include "ctxmgr/engine/tool_search.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

std::vector<std::string> names_of(const std::vector<ToolDefinition>& tools) {
  std::vector<std::string> names;
  for (const auto& tool : tools) names.push_back(tool.name);
  return names;
}

/// Of what comes out of whole builds.
class ToolChoiceTest : public testing::BuildTest {
 protected:
  ToolChoiceTest() {
    for (int i = 0; i < 20; ++i)
      define("ledger_" + std::to_string(i), "Reads the " + testing::words(12, "account" + std::to_string(i)));
    define("get_weather", "Forecasts for a city.");
    define("send_mail", "Writes to somebody.");
    request_.tools_budget = 150;
    say(Role::user, "Will it rain? I need the forecast.");
  }

  void define(const std::string& name, const std::string& description) {
    request_.tools.push_back({name, description, R"({"type":"object"})"});
  }

  BuiltContext built() {
    auto result = build(5'000);
    EXPECT_TRUE(result);
    return std::move(*result);
  }

  std::int64_t tokens_of(const std::vector<ToolDefinition>& tools) const {
    return make_approximate_token_counter()->count_tools(tools);
  }
};

using Names = std::vector<std::string>;

TEST_F(ToolChoiceTest, WhatTheQuestionNeedsIsSentAndTheRestIsFoundBySearch) {
  const auto context = built();
  EXPECT_EQ(names_of(context.tools), (Names{"get_weather", "send_mail", "search_tools"}));
  EXPECT_EQ(context.metadata.tools_left_out.size(), 20U);
  EXPECT_EQ(context.metadata.tools_left_out.front(), "ledger_0");
  EXPECT_EQ(context.metadata.tools_tokens, tokens_of(context.tools));
  EXPECT_LE(context.metadata.tools_tokens, 150);
}

TEST_F(ToolChoiceTest, WhatIsLeftOfTheBudgetGoesToToolsThatNothingSpeaksFor) {
  context_ = {};
  say(Role::user, "Tell me a joke.");
  std::int64_t largest = 0;
  for (const auto& tool : request_.tools) largest = std::max(largest, tokens_of({tool}));
  for (const std::int64_t budget : {300, 600, 900}) {
    request_.tools_budget = budget;
    const auto context = built();
    EXPECT_LE(context.metadata.tools_tokens, budget);
    EXPECT_GT(context.metadata.tools_tokens, budget - largest);
    EXPECT_EQ(context.tools.back().name, search_tools_name);
  }
}

TEST_F(ToolChoiceTest, WithoutABudgetOrWithinItAllAreSent) {
  for (const std::optional<std::int64_t> budget :
       {std::optional<std::int64_t>{}, std::optional<std::int64_t>{50'000}}) {
    request_.tools_budget = budget;
    const auto context = built();
    EXPECT_EQ(names_of(context.tools), names_of(request_.tools));
    EXPECT_TRUE(context.metadata.tools_left_out.empty());
  }
}

TEST_F(ToolChoiceTest, WhatFitsIsNeverMoreThanTheBudget) {
  context_ = {};
  say(Role::user, "Which ledger reads the accounts?");
  for (std::int64_t budget = 0; budget < 900; budget += 60) {
    request_.tools_budget = budget;
    const auto context = built();
    const auto search = tokens_of({search_tools_definition()});
    EXPECT_LE(context.metadata.tools_tokens, std::max(budget, search)) << budget;
    if (budget > 500) {
      EXPECT_GT(context.tools.size(), 5U);
    }
  }
}

TEST_F(ToolChoiceTest, CalledPinnedAndFoundToolsAreSentInTheOrderOfTheRequest) {
  context_ = {};
  say(Role::user, "Look into my books.");
  add(testing::tool_call("1", "ledger_3"));
  add(testing::tool_result("1", "nothing"));
  auto search = testing::tool_call("2", "search_tools");
  search.tool_calls[0].arguments_json = R"({"query":"account11"})";
  add(search);
  add(run_search_tools(request_.tools, search.tool_calls[0]));
  say(Role::user, "Will it rain? I need the forecast.");
  request_.pinned_tools = {"send_mail"};
  request_.tools_budget = 400;
  const auto names = names_of(built().tools);
  for (const char* const name : {"ledger_3", "ledger_11", "get_weather", "send_mail", "search_tools"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  auto expected = names_of(request_.tools);
  std::erase_if(expected, [&](const auto& name) { return std::find(names.begin(), names.end(), name) == names.end(); });
  expected.emplace_back("search_tools");
  EXPECT_EQ(names, expected);
}

TEST_F(ToolChoiceTest, WhatIsCalledOrPinnedIsSentEvenOverTheBudgetAndTheReceiptSaysSo) {
  for (int i = 0; i < 10; ++i) request_.pinned_tools.push_back("ledger_" + std::to_string(i));
  const auto context = built();
  EXPECT_EQ(context.tools.size(), 11U);
  EXPECT_GT(context.metadata.tools_tokens, 150);
  const auto& notes = context.metadata.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const auto& note) { return testing::contains(note, "more than the 150 for tools"); }));
}

TEST_F(ToolChoiceTest, ToolsThatAreNoFunctionsAreAlwaysSent) {
  request_.tools.push_back({"", "", "", R"({"type":"web_search"})"});
  const auto tools = built().tools;
  EXPECT_TRUE(std::any_of(tools.begin(), tools.end(), [](const auto& tool) { return tool.name.empty(); }));
}

TEST_F(ToolChoiceTest, TheStepsAfterAQuestionKeepItsTools) {
  const auto first = built();
  add(testing::tool_call("1", "get_weather"));
  add(testing::tool_result("1", "account3 account4 account5: rain"));
  const auto second = built();
  EXPECT_EQ(names_of(second.tools), names_of(first.tools));
  EXPECT_EQ(second.metadata.messages_limit, first.metadata.messages_limit);
}

TEST_F(ToolChoiceTest, AnotherQuestionChangesNothingOfTheRoomForMessages) {
  const auto first = built();
  say(Role::assistant, "It will rain.");
  say(Role::user, "What does account7 say?");
  const auto second = built();
  EXPECT_NE(names_of(second.tools), names_of(first.tools));
  EXPECT_EQ(second.metadata.messages_limit, first.metadata.messages_limit);
}

TEST_F(ToolChoiceTest, AHostsOwnSearchToolIsNotDoubled) {
  define("search_tools", "Ours.");
  const auto names = names_of(built().tools);
  EXPECT_EQ(std::count(names.begin(), names.end(), "search_tools"), 1);
}

TEST_F(ToolChoiceTest, ANegativeBudgetIsInvalid) {
  request_.tools_budget = -1;
  EXPECT_EQ(build(5'000).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr
