#include "engine/history/reasoning_parts.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ctxmgr::engine
