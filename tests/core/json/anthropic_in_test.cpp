#include <gtest/gtest.h>

#include "core/json/anthropic.hpp"
#include "core/json/part_forms.hpp"

namespace ctxmgr {
namespace {

AnthropicMessages read_messages(const std::string& json) {
  auto messages = read_anthropic_messages(*parse_json(json));
  EXPECT_TRUE(messages) << messages.error().message;
  return messages.value_or(AnthropicMessages{});
}

std::string refusal_of(const std::string& json) {
  const auto messages = read_anthropic_messages(*parse_json(json));
  EXPECT_FALSE(messages) << json;
  return messages ? std::string() : messages.error().message;
}

TEST(JsonAnthropicInTest, CallsAndResultsBecomeCallsAndMessages) {
  const auto read_in = read_messages(R"({"system":"Be brief.","messages":[
      {"role":"user","content":"Weather?"},
      {"role":"assistant","content":[{"type":"text","text":"I look."},
        {"type":"tool_use","id":"t1","name":"get","input":{"city":"Oslo"},"cache_control":{"type":"ephemeral"}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"down"},
        {"type":"text","text":"And now?"}]}]})");
  const auto& messages = read_in.messages;
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[0].role, Role::system);
  EXPECT_EQ(text_of(messages[0]), "Be brief.");
  EXPECT_EQ(messages[2].tool_calls.at(0).id, "t1");
  EXPECT_EQ(messages[2].tool_calls[0].arguments_json, R"({"city":"Oslo"})");
  EXPECT_EQ(messages[2].tool_calls[0].extra_json, R"({"cache_control":{"type":"ephemeral"}})");
  EXPECT_EQ(std::get<std::vector<ContentPart>>(messages[2].content).size(), 1U) << "a call at the end needs no place";
  EXPECT_EQ(messages[3].role, Role::tool);
  EXPECT_EQ(messages[3].tool_call_id, "t1");
  EXPECT_EQ(text_of(messages[3]), "down");
  EXPECT_EQ(messages[3].extra_json, R"({"is_error":true})");
  EXPECT_EQ(text_of(messages[4]), "And now?");
  EXPECT_EQ(read_in.origins, (std::vector<std::size_t>{AnthropicMessages::from_system, 0, 1, 2, 2}));
}

TEST(JsonAnthropicInTest, AMessageOfCallsOrResultsAloneIsOneMessage) {
  const auto messages =
      read_messages(R"([{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},
                                   {"type":"tool_use","id":"b","name":"g","input":{}}]},
                                 {"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},
                                   {"type":"tool_result","tool_use_id":"b","content":[{"type":"image","source":{}}]}]}])")
          .messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].tool_calls.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(messages[1].content));
  EXPECT_EQ(std::get<std::vector<ContentPart>>(messages[2].content).at(0).kind, PartKind::image);
}

TEST(JsonAnthropicInTest, CallsKeepTheirPlaceAmongTheModelsWords) {
  const auto messages =
      read_messages(R"([{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},
      {"type":"tool_use","id":"a","name":"f","input":{}},{"type":"text","text":"and"},
      {"type":"tool_use","id":"b","name":"g","input":{}}]}])")
          .messages;
  const auto& parts = std::get<std::vector<ContentPart>>(messages.at(0).content);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].kind, PartKind::other);
  EXPECT_EQ(forms::called_id(parts[1]), "a");
  EXPECT_EQ(parts[2].text, "and");
}

TEST(JsonAnthropicInTest, EmptyContentIsAMessageAllTheSame) {
  EXPECT_EQ(read_messages(R"([{"role":"user","content":""},{"role":"assistant","content":[]}])").messages.size(), 2U);
}

TEST(JsonAnthropicInTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal_of("7"), "expected a request or an array of messages, found number");
  EXPECT_EQ(refusal_of("{}"), "/messages: expected an array, found null or nothing");
  EXPECT_EQ(refusal_of(R"([{"role":"tool","content":"x"}])"), "/0: expected the role user, assistant or system");
  EXPECT_EQ(refusal_of(R"([{"role":"user","content":7}])"),
            "/0/content: expected a string or an array of blocks, found number");
  EXPECT_EQ(refusal_of(R"([{"role":"user","content":[{"type":"tool_result"}]}])"),
            "/0/content/0/tool_use_id: expected a string, found null or nothing");
  EXPECT_EQ(refusal_of(R"([{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"a"}]}])"),
            "/0/content/1/name: expected a string, found null or nothing");
  EXPECT_EQ(refusal_of(R"({"system":7,"messages":[]})"),
            "/system: expected a string or an array of parts, found number");
}

}  // namespace
}  // namespace ctxmgr
