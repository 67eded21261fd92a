#include <gtest/gtest.h>

#include "core/json/responses.hpp"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

TEST(JsonResponsesOutTest, WhatWasReadComesBackInItsOrder) {
  const auto items = *parse_json(R"([
      {"type":"message","role":"system","content":[{"type":"input_text","text":"s"}]},
      {"type":"message","role":"user","content":[{"type":"input_text","text":"Weather?"},
        {"type":"input_image","image_url":"u","detail":"low"},{"type":"input_file","file_id":"f"}]},
      {"type":"reasoning","id":"rs_1","encrypted_content":"x","summary":[]},
      {"type":"function_call","call_id":"a","name":"get","arguments":"{\"city\":\"Oslo\"}"},
      {"type":"reasoning","id":"rs_2","summary":[]},
      {"type":"function_call","call_id":"b","name":"get","arguments":"{}"},
      {"type":"function_call_output","call_id":"a","output":"rain"},
      {"type":"function_call_output","call_id":"b","output":[{"type":"input_text","text":"see"},
        {"type":"input_image","image_url":"v"}]},
      {"type":"custom_tool_call","call_id":"c","name":"sql","input":"select 1"},
      {"type":"custom_tool_call_output","call_id":"c","output":"1"},
      {"type":"message","role":"assistant","phase":"commentary","content":"Hm."},
      {"type":"web_search_call","id":"ws","status":"completed"},
      {"type":"message","role":"assistant","phase":"final_answer",
       "content":[{"type":"output_text","text":"Rain.","annotations":[{"type":"url_citation"}]}]}])");
  const auto read = read_responses_items(items);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*parse_json(to_responses_json(read->messages)), items);
  EXPECT_EQ(to_openai_json(read->messages).find("_item"), std::string::npos);
}

/// `output_text` stands in messages to which the service has given an id; its own types refuse it in any other.
TEST(JsonResponsesOutTest, WordsOfTheModelWithoutAnIdAreATextAndKeepTheirPhase) {
  const auto of_service = *parse_json(R"([{"type":"message","id":"msg_1","role":"assistant","status":"completed",
      "phase":"commentary","content":[{"type":"output_text","text":"Hm.","annotations":[],"logprobs":[]},
                                      {"type":"output_text","text":"So."}]}])");
  const auto read = read_responses_items(of_service);
  ASSERT_TRUE(read) << read.error().message;
  const auto written = to_responses_json(read->messages);
  EXPECT_EQ(*parse_json(written), *parse_json(R"([
      {"type":"message","role":"assistant","phase":"commentary","content":"Hm."},
      {"type":"message","role":"assistant","phase":"commentary","content":"So."}])"));
  const auto again = from_responses_json(written);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_responses_json(*again), written);
}

TEST(JsonResponsesOutTest, TheTextFormsDoTheSame) {
  const auto read = from_responses_json(R"([{"type":"function_call_output","call_id":"a","output":"r"}])");
  ASSERT_TRUE(read);
  EXPECT_EQ(to_responses_json(*read), R"([{"type":"function_call_output","call_id":"a","output":"r"}])");
  EXPECT_EQ(from_responses_json("{").error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr
