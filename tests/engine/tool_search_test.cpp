#include "ctxmgr/engine/tool_search.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {
namespace {

std::vector<ToolDefinition> many_tools() {
  std::vector<ToolDefinition> tools;
  for (int i = 0; i < 40; ++i)
    tools.push_back({"ledger_" + std::to_string(i), "Reads ledger number " + std::to_string(i) + " of the books.", ""});
  tools.push_back({"get_weather", "Forecasts for a city.", R"({"type":"object"})"});
  return tools;
}

std::string run(const std::string& arguments) {
  return text_of(run_search_tools(many_tools(), {"call_7", "search_tools", arguments}));
}

TEST(ToolSearchTest, AnswersTheCallWithTheDefinitionsThatFit) {
  const ConversationMessage message =
      run_search_tools(many_tools(), {"call_7", "search_tools", R"({"query":"weather"})"});
  EXPECT_EQ(message.role, Role::tool);
  EXPECT_EQ(message.tool_call_id, "call_7");
  const auto found = from_json<std::vector<ToolDefinition>>(text_of(message));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().name, "get_weather");
  EXPECT_EQ(found->front().parameters_json, R"({"type":"object"})");
}

TEST(ToolSearchTest, GivesAFewWhereManyFit) {
  const auto found = from_json<std::vector<ToolDefinition>>(run(R"({"query":"a ledger of the books"})"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), 5U);
}

TEST(ToolSearchTest, SaysWhatIsWrong) {
  EXPECT_NE(run("{").find("Nothing was searched"), std::string::npos);
  EXPECT_NE(run("{}").find("Nothing was searched"), std::string::npos);
  EXPECT_NE(run(R"({"query": 3})").find("Nothing was searched"), std::string::npos);
  EXPECT_NE(run(R"({"query":"submarine"})").find("Try others"), std::string::npos);
}

TEST(ToolSearchTest, ItsDefinitionIsOfTheNameAndDemandsAQuery) {
  EXPECT_EQ(search_tools_definition().name, search_tools_name);
  EXPECT_NE(search_tools_definition().parameters_json.find(R"("required":["query"])"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr
