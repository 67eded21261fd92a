#include "ctxmgr/core/tool_rules.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

ToolRetention retention_of(const ToolRules& rules, std::string_view tool) {
  return find_tool_rule(rules, tool).retention;
}

TEST(ToolRulesTest, TheFirstRuleThatFitsHolds) {
  const ToolRules rules = {{"read_secret", ToolRetention::never_cut}, {"read_*", ToolRetention::cut_first}};
  EXPECT_EQ(retention_of(rules, "read_secret"), ToolRetention::never_cut);
  EXPECT_EQ(retention_of(rules, "read_file"), ToolRetention::cut_first);
  EXPECT_EQ(retention_of(rules, "bread_file"), ToolRetention::normal);
}

TEST(ToolRulesTest, AStarStandsForAnyLetters) {
  const ToolRules rules = {{"mcp__*__get_*", ToolRetention::cut_first}};
  EXPECT_EQ(retention_of(rules, "mcp__files__get_page"), ToolRetention::cut_first);
  EXPECT_EQ(retention_of(rules, "mcp____get_"), ToolRetention::cut_first);
  EXPECT_EQ(retention_of(rules, "mcp__files__set_page"), ToolRetention::normal);
  EXPECT_EQ(retention_of({{"*", ToolRetention::never_cut}}, ""), ToolRetention::never_cut);
}

TEST(ToolRulesTest, ToolsForPlansAreKnownByTheirNames) {
  for (const char* const tool : {"update_plan", "TodoWrite", "todo_write", "write_todos"})
    EXPECT_EQ(retention_of({}, tool), ToolRetention::keeps_latest) << tool;
  EXPECT_EQ(retention_of({}, "read_plan"), ToolRetention::normal);
}

TEST(ToolRulesTest, ARuleGoesBeforeWhatIsKnown) {
  EXPECT_EQ(retention_of({{"TodoWrite", ToolRetention::normal}}, "TodoWrite"), ToolRetention::normal);
}

TEST(ToolRulesTest, RefusesRulesThatNameNothing) {
  EXPECT_TRUE(check_tool_rules({{"a"}}));
  EXPECT_FALSE(check_tool_rules({{""}}));
  EXPECT_FALSE(check_tool_rules({{"a", ToolRetention::normal, 0}}));
  EXPECT_FALSE(check_tool_rules(ToolRules(201, ToolRule{"a"})));
}

TEST(ToolRulesTest, JsonNamesAToolAndWhatBecomesOfIt) {
  const auto read =
      from_json<ToolRules>(R"([{"tool":"todo_*","retention":"keeps_latest"},{"tool":"bash","max_result_tokens":500}])");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->at(0).retention, ToolRetention::keeps_latest);
  EXPECT_EQ(read->at(1).max_result_tokens, 500);
  EXPECT_EQ(
      to_json(*read),
      R"([{"tool":"todo_*","retention":"keeps_latest"},{"tool":"bash","retention":"normal","max_result_tokens":500}])");
  EXPECT_FALSE(from_json<ToolRules>(R"([{"tool":"a","retention":"for_ever"}])"));
  EXPECT_FALSE(from_json<ToolRules>(R"([{"tol":"a"}])"));
}

}  // namespace
}  // namespace ctxmgr
