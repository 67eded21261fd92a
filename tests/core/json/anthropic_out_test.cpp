#include <gtest/gtest.h>

#include "core/json/anthropic.hpp"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

Json written(const std::vector<ConversationMessage>& messages, ExtraFields extra = ExtraFields::known) {
  auto json = write_anthropic_messages(messages, extra);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

Json block_of(PartKind kind, const std::string& part) {
  const auto body = written({{Role::user, std::vector<ContentPart>{{kind, "", part}}}});
  return body["messages"].empty() ? Json() : body["messages"][0]["content"][0];
}

TEST(JsonAnthropicOutTest, WhatWasReadComesBack) {
  const auto body = *parse_json(R"({"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
    "messages":[
      {"role":"user","content":[{"type":"text","text":"Weather?"},
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
        {"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"citations":{"enabled":true}}]},
      {"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},
        {"type":"text","text":"I look.","citations":[{"type":"char_location"}]},
        {"type":"tool_use","id":"t1","name":"get","input":{"city":"Oslo","n":1.0}},
        {"type":"redacted_thinking","data":"zzz"},
        {"type":"tool_use","id":"t2","name":"get","input":{},"caller":{"type":"code_execution_20250825"}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"t1","content":"down","is_error":true},
        {"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"see"},
          {"type":"image","source":{"type":"url","url":"u"}}],"cache_control":{"type":"ephemeral"}},
        {"type":"text","text":"And now?"}]},
      {"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}},
        {"type":"web_search_tool_result","tool_use_id":"s","content":[]}]}]})");
  const auto read = read_anthropic_messages(body);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(written(read->messages), body);
  EXPECT_EQ(written(read->messages, ExtraFields::all), body);
}

TEST(JsonAnthropicOutTest, TheTextFormsDoTheSame) {
  const auto text =
      R"({"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"u"}]}]})";
  const auto read = from_anthropic_json(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_anthropic_json(*read).value(), text);
  EXPECT_EQ(from_anthropic_json("{").error().code, ErrorCode::invalid_argument);
}

TEST(JsonAnthropicOutTest, FieldsOfOtherServicesStayHere) {
  ConversationMessage message{Role::assistant,
                              std::vector<ContentPart>{{PartKind::text, "x", R"({"annotations":[],"phase":"final"})"},
                                                       {PartKind::other, "", R"({"type":"reasoning","id":"rs"})"},
                                                       {PartKind::other, "", R"({"type":"web_search_call"})"}}};
  message.extra_json = R"({"reasoning_content":"hm"})";
  EXPECT_EQ(dump_json(written({message})["messages"]),
            R"([{"role":"assistant","content":[{"type":"text","text":"x"}]}])");
  ConversationMessage result{Role::tool, "r"};
  result.tool_call_id = "t";
  result.extra_json = R"({"status":"completed","is_error":true})";
  EXPECT_EQ(dump_json(written({result})["messages"][0]["content"][0]),
            R"({"type":"tool_result","tool_use_id":"t","content":"r","is_error":true})");
}

TEST(JsonAnthropicOutTest, MediaChangeTheirShape) {
  EXPECT_EQ(block_of(PartKind::image, R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}})"),
            Json({{"type", "image"}, {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", "AAAA"}}}}));
  EXPECT_EQ(block_of(PartKind::image, R"({"type":"input_image","image_url":"https://a/b.png"})")["source"],
            Json({{"type", "url"}, {"url", "https://a/b.png"}}));
  EXPECT_EQ(block_of(PartKind::file, R"({"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA",
                                         "filename":"lease.pdf"},"cache_control":{"type":"ephemeral"}})"),
            Json({{"type", "document"},
                  {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", "AAAA"}}},
                  {"title", "lease.pdf"},
                  {"cache_control", {{"type", "ephemeral"}}}}));
  EXPECT_EQ(block_of(PartKind::file, R"({"type":"input_file","file_id":"f1"})")["source"],
            Json({{"type", "file"}, {"file_id", "f1"}}));
}

TEST(JsonAnthropicOutTest, AudioHasNoFormThere) {
  const std::vector<ConversationMessage> messages{
      {Role::user, std::vector<ContentPart>{{PartKind::file, "", R"({"type":"input_audio","input_audio":{}})"}}}};
  const auto refused = write_anthropic_messages(messages, ExtraFields::known);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().message, "Anthropic's Messages take no audio");
}

TEST(JsonAnthropicOutTest, AUsersNameStandsBeforeTheWords) {
  ConversationMessage message{Role::user, "Deploy it."};
  message.name = "ada";
  EXPECT_EQ(written({message})["messages"][0]["content"][0]["text"], "ada: Deploy it.");
}

TEST(JsonAnthropicOutTest, InstructionsAreHoistedAndNeighboursMerged) {
  const auto body = written({{Role::system, "a"}, {Role::user, "b"}, {Role::developer, "c"}, {Role::user, "d"}});
  EXPECT_EQ(body["system"].size(), 2U);
  ASSERT_EQ(body["messages"].size(), 1U);
  EXPECT_EQ(body["messages"][0]["content"].size(), 2U);
  EXPECT_EQ(written({{Role::user, "b"}, {Role::assistant, {}}})["messages"].size(), 1U) << "nothing was said";
}

TEST(JsonAnthropicOutTest, ArgumentsThatAreNoObjectAreShownToTheModel) {
  ConversationMessage message{Role::assistant};
  message.tool_calls = {{"a", "f", "{broken", ""}, {"b", "f", "", ""}};
  const auto content = written({message})["messages"][0]["content"];
  EXPECT_EQ(content[0]["input"], Json({{"invalid_arguments", "{broken"}}));
  EXPECT_EQ(content[1]["input"], Json::object());
}

}  // namespace
}  // namespace ctxmgr
