#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json/json.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

/// The same JSON value, whatever the order of keys.
::testing::AssertionResult is_same_json(const std::string& a, const std::string& b) {
  if (nlohmann::json::parse(a) == nlohmann::json::parse(b)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << "\nis not\n" << b;
}

std::vector<ToolDefinition> tools_from(std::string_view json) {
  return from_json<std::vector<ToolDefinition>>(json).value();
}

TEST(JsonToolTest, OpenAiToolsComeBackAsTheyWere) {
  for (
      const char* json : {
          R"([{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}])",
          R"([{"type":"function","function":{"name":"f","strict":true,"x":null},"cache_control":{"type":"ephemeral"}}])",
          R"([{"type":"custom","custom":{"name":"grep","format":{"type":"text"}}}])",
          R"([{"type":"web_search_preview","search_context_size":"low"}])",
      }) {
    EXPECT_TRUE(is_same_json(to_openai_json(tools_from(json)), json));
    EXPECT_TRUE(is_same_json(to_json(tools_from(json)), json));
  }
}

TEST(JsonToolTest, ReadsTheFlatAndTheAnthropicForm) {
  const auto flat = tools_from(R"([{"type":"function","name":"f","parameters":{"a":1},"strict":true}])");
  EXPECT_EQ(flat[0].parameters_json, R"({"a":1})");
  EXPECT_EQ(flat[0].extra_json, R"({"strict":true})");
  const auto anthropic = tools_from(R"([{"name":"f","description":"d","input_schema":{"type":"object"}}])");
  EXPECT_EQ(anthropic[0].description, "d");
  EXPECT_EQ(anthropic[0].parameters_json, R"({"type":"object"})");
}

TEST(JsonToolTest, AnthropicToolsComeBackAsTheyWere) {
  const char* json =
      R"([{"name":"f","description":"d","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}},
          {"type":"web_search_20250305","name":"web_search","max_uses":5}])";
  EXPECT_TRUE(is_same_json(to_anthropic_json(tools_from(json)), json));
}

TEST(JsonToolTest, AToolWithoutParametersGetsTheEmptySchemaThatAnthropicWants) {
  EXPECT_EQ(to_anthropic_json({{"f", "", "", ""}}), R"([{"name":"f","input_schema":{"type":"object"}}])");
  EXPECT_EQ(to_openai_json(std::vector<ToolDefinition>{{"f", "", "", ""}}),
            R"([{"type":"function","function":{"name":"f"}}])");
}

TEST(JsonToolTest, MembersAreNotReplacedByExtraFieldsOfTheSameName) {
  EXPECT_EQ(to_openai_json(std::vector<ToolDefinition>{{"f", "", "", R"({"name":"g"})"}}),
            R"([{"type":"function","function":{"name":"f"}}])");
}

TEST(JsonToolTest, SaysWhatIsWrongAndWhere) {
  const auto error = [](const char* json) { return from_json<std::vector<ToolDefinition>>(json).error().message; };
  EXPECT_EQ(error(R"([{"type":"function","function":{}}])"),
            "/0/function/name: expected a string, found null or nothing");
  EXPECT_EQ(error(R"([{"type":"function","function":7}])"), "/0/function: expected an object, found number");
  EXPECT_EQ(error(R"([{"name":"f","parameters":"{}"}])"), "/0/parameters: expected an object, found string");
}

}  // namespace
}  // namespace ctxmgr
