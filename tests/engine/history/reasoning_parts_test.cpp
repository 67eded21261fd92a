#include "engine/history/reasoning_parts.hpp"

#include <gtest/gtest.h>

#include "core/json/part_forms.hpp"

namespace ctxmgr::engine {
namespace {

ConversationMessage thinking_and(std::vector<ContentPart> rest) {
  rest.insert(rest.begin(), {PartKind::other, "", R"({"type":"thinking","thinking":"hm","signature":"s"})"});
  return {Role::assistant, std::move(rest)};
}

TEST(ReasoningPartsTest, ThinkingGoesAndWhatWasSaidStays) {
  const auto plain = without_reasoning(thinking_and({{PartKind::text, "Seven."}}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(text_of(*plain), "Seven.");
  EXPECT_EQ(std::get<std::vector<ContentPart>>(plain->content).size(), 1U);
}

TEST(ReasoningPartsTest, AMessageOfThoughtsAloneStaysAsItIs) { EXPECT_FALSE(without_reasoning(thinking_and({}))); }

TEST(ReasoningPartsTest, FieldsOfTheMessageGoToo) {
  ConversationMessage message{Role::assistant, "Seven."};
  message.extra_json = R"({"reasoning_content":"hm","audio":{"id":"a"}})";
  const auto plain = without_reasoning(message);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->extra_json, R"({"audio":{"id":"a"}})");
}

TEST(ReasoningPartsTest, TextAboutReasoningIsNoReasoning) {
  EXPECT_FALSE(without_reasoning({Role::assistant, "My reasoning: it is seven."}));
  EXPECT_FALSE(without_reasoning({Role::user, "thinking"}));
}

TEST(ReasoningPartsTest, CallsOfEveryKindLoseTheirIdsWithTheirReasoning) {
  ConversationMessage message{
      Role::assistant,
      std::vector<ContentPart>{{PartKind::other, "", R"({"type":"reasoning","id":"rs_1","summary":[]})"},
                               {PartKind::other, "", R"({"type":"web_search_call","id":"ws_1","status":"completed"})"},
                               forms::call_part("k1"),
                               {PartKind::text, "Seven.", ""}}};
  message.tool_calls = {{"k1", "custom_tool_call", "", R"({"type":"custom_tool_call","id":"ctc_1","call_id":"k1"})"}};
  const auto plain = without_reasoning(message);
  ASSERT_TRUE(plain);
  const auto& parts = std::get<std::vector<ContentPart>>(plain->content);
  EXPECT_EQ(parts[0].json, R"({"type":"web_search_call","status":"completed"})");
  EXPECT_EQ(forms::called_id(parts[1]), "k1");
  EXPECT_EQ(plain->tool_calls[0].extra_json, R"({"type":"custom_tool_call","call_id":"k1"})");
  EXPECT_EQ(plain->tool_calls[0].id, "k1");
}

}  // namespace
}  // namespace ctxmgr::engine
