#include <gtest/gtest.h>

#include "core/json/part_forms.hpp"
#include "core/json/responses.hpp"

namespace ctxmgr {
namespace {

ResponsesMessages read_items(const std::string& json) {
  auto messages = read_responses_items(*parse_json(json));
  EXPECT_TRUE(messages) << messages.error().message;
  return messages.value_or(ResponsesMessages{});
}

TEST(JsonResponsesInTest, WhatTheModelPutsOutBetweenTwoInputsIsOneMessage) {
  const auto read_in = read_items(R"([
      {"role":"user","content":"Weather?"},
      {"type":"reasoning","id":"rs_1","encrypted_content":"x","summary":[]},
      {"type":"function_call","call_id":"a","name":"get","arguments":"{\"city\":\"Oslo\"}","id":"fc_1","status":"completed"},
      {"type":"reasoning","id":"rs_2","summary":[]},
      {"type":"function_call","call_id":"b","name":"get","arguments":"{}"},
      {"type":"function_call_output","call_id":"a","output":"rain"},
      {"type":"function_call_output","call_id":"b","output":[{"type":"input_image","image_url":"u"}]},
      {"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"Rain."}]}])");
  const auto& messages = read_in.messages;
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(text_of(messages[0]), "Weather?");
  EXPECT_EQ(messages[1].tool_calls.size(), 2U);
  const auto& parts = std::get<std::vector<ContentPart>>(messages[1].content);
  ASSERT_EQ(parts.size(), 3U) << "the last call needs no place";
  EXPECT_EQ(parts[0].kind, PartKind::other);
  EXPECT_EQ(forms::called_id(parts[1]), "a");
  EXPECT_EQ(messages[2].role, Role::tool);
  EXPECT_EQ(text_of(messages[2]), "rain");
  EXPECT_EQ(std::get<std::vector<ContentPart>>(messages[3].content).at(0).kind, PartKind::image);
  EXPECT_EQ(text_of(messages[4]), "Rain.");
  EXPECT_EQ(read_in.items[1], (std::pair<std::size_t, std::size_t>{1, 5}));
}

TEST(JsonResponsesInTest, CallsOfOtherToolsAreCallsToo) {
  const auto messages = read_items(R"([{"type":"custom_tool_call","call_id":"a","name":"sql","input":"select 1"},
      {"type":"custom_tool_call_output","call_id":"a","output":"1"},
      {"type":"local_shell_call","call_id":"b","action":{"type":"exec"}},
      {"type":"local_shell_call_output","call_id":"b","output":"ok"}])")
                            .messages;
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0].tool_calls.at(0).id, "a");
  EXPECT_EQ(messages[1].tool_call_id, "a");
  EXPECT_EQ(messages[2].tool_calls.at(0).name, "local_shell_call");
  EXPECT_EQ(text_of(messages[3]), "ok");
}

TEST(JsonResponsesInTest, WhatTheServiceCarriedOutItselfIsAPart) {
  const auto messages = read_items(R"([{"type":"web_search_call","id":"ws","status":"completed"},
                                 {"type":"message","role":"assistant","content":"Found."}])")
                            .messages;
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_TRUE(messages[0].tool_calls.empty());
  EXPECT_EQ(text_of(messages[0]), "Found.");
}

TEST(JsonResponsesInTest, ACompactionIsKeptWhole) {
  const auto messages =
      read_items(R"([{"type":"compaction","encrypted_content":"x"},{"role":"user","content":"go on"}])").messages;
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].retention, Retention::pinned);
}

TEST(JsonResponsesInTest, WhatStandsBesideACompactionIsNotKeptWithIt) {
  const auto messages = read_items(R"([{"type":"message","role":"assistant","content":"before"},
                                       {"type":"compaction","encrypted_content":"x"},
                                       {"type":"compaction","encrypted_content":"y"},
                                       {"type":"message","role":"assistant","content":"after"}])")
                            .messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].retention, Retention::normal);
  EXPECT_EQ(messages[1].retention, Retention::pinned);
  EXPECT_EQ(messages[2].retention, Retention::normal);
}

TEST(JsonResponsesInTest, AStringIsTheUsersWord) {
  const auto messages = read_items(R"("hi")").messages;
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].role, Role::user);
}

TEST(JsonResponsesInTest, SaysWhatIsWrongAndWhere) {
  const auto error = [](const char* json) { return read_responses_items(*parse_json(json)).error().message; };
  EXPECT_EQ(error("7"), "expected a string or an array of items, found number");
  EXPECT_EQ(error(R"([{"role":"user","content":"x"},7])"), "/1: expected an object, found number");
  EXPECT_EQ(error(R"([{"type":"function_call_output","output":"x"}])"),
            "/0/call_id: expected a string, found null or nothing");
  EXPECT_EQ(error(R"([{"type":"function_call","call_id":"a"}])"), "/0/name: expected a string, found null or nothing");
  EXPECT_EQ(error(R"([{"role":"tool","content":"x"}])"), "/0: expected the role user, assistant, system or developer");
}

}  // namespace
}  // namespace ctxmgr
