#include "serve/own_tools.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ctxmgr/ctxmgr.hpp"

namespace ctxpack::serve::test {
namespace {

using nlohmann::json;

ctxmgr::ContextTools tools() {
  ctxmgr::ContextStoreOptions options;
  options.session_id = "s";
  options.store = ctxmgr::make_memory_key_value_store();
  return ctxmgr::ContextTools(*ctxmgr::ContextStore::open(options));
}

TEST(OwnToolsTest, ToolsStandBehindThoseOfTheAgentAndAllElseStays) {
  const std::string request = R"({"z":1,"tools":[{"name":"shell","input_schema":{}}],"a":[1.5,null],"messages":[]})";
  const auto added = add_tools(Api::anthropic, request, tools().definitions());
  ASSERT_TRUE(added);
  auto grown = json::parse(*added);
  EXPECT_EQ(grown["tools"][0]["name"], "shell");
  EXPECT_EQ(grown["tools"].size(), 1 + tools().definitions().size());
  grown["tools"] = json::parse(request)["tools"];
  EXPECT_EQ(grown, json::parse(request));
}

TEST(OwnToolsTest, RequestsThatCannotHaveThemAreLeftAlone) {
  for (const std::string request : {"", "[]", "{\"tools\":3}", "{\"n\":2,\"messages\":[]}",
                                    R"({"tools":[{"type":"function","function":{"name":"list_context"}}]})"})
    EXPECT_FALSE(add_tools(Api::openai, request, tools().definitions())) << request;
}

TEST(OwnToolsTest, AnswersThatCallNothingOrAreNoneAreNotAnswered) {
  for (const auto api : {Api::openai, Api::anthropic}) {
    for (const std::string answer : {"", "7", "{}", "data: x\n", R"({"choices":[]})", R"({"choices":[{"message":3}]})",
                                     R"({"choices":[{"message":{"tool_calls":[3,{"function":"get_context"}]}}]})",
                                     R"({"content":[3,{"type":"tool_use"},{"type":"tool_use","name":4}]})"})
      EXPECT_FALSE(answer_calls(api, R"({"messages":[]})", answer, {{tools()}}, {})) << answer;
  }
}

TEST(OwnToolsTest, EveryCallOfATurnHasItsResult) {
  const std::string answer = R"({"content":[{"type":"thinking","thinking":"hm","signature":"s"},)"
                             R"({"type":"tool_use","id":"a","name":"list_context","input":{}},)"
                             R"({"type":"tool_use","id":"b","name":"get_context","input":{"key":"none"}}]})";
  const auto next =
      answer_calls(Api::anthropic, R"({"messages":[{"role":"user","content":"q"}]})", answer, {{tools()}}, {});
  ASSERT_TRUE(next);
  const auto messages = json::parse(next->request)["messages"];
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[1]["content"], json::parse(answer)["content"]);
  EXPECT_EQ(messages[2]["content"][0]["tool_use_id"], "a");
  EXPECT_EQ(messages[2]["content"][1]["tool_use_id"], "b");
}

}  // namespace
}  // namespace ctxpack::serve::test
