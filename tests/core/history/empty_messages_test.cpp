#include "core/history/empty_messages.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

using Parts = std::vector<ContentPart>;

ContentPart text_part(std::string text, std::string extra = {}) {
  return {PartKind::text, std::move(text), std::move(extra)};
}

TEST(EmptyMessagesTest, NothingIsEmptyThatSaysSomethingAnywhere) {
  constexpr auto strict = EmptyMessages::blanks_refused;
  EXPECT_TRUE(is_empty({Role::user, ""}, EmptyMessages::refused));
  EXPECT_TRUE(is_empty({Role::assistant}, EmptyMessages::refused));
  EXPECT_TRUE(is_empty({Role::user, Parts{}}, EmptyMessages::refused));
  EXPECT_FALSE(is_empty({Role::user, " \n"}, EmptyMessages::refused));
  EXPECT_TRUE(is_empty({Role::user, " \n"}, strict));
  EXPECT_TRUE(is_empty({Role::assistant, Parts{text_part("\t")}}, strict));
  EXPECT_FALSE(is_empty({Role::system, ""}, EmptyMessages::refused));
  EXPECT_TRUE(is_empty({Role::system, ""}, strict));
  EXPECT_FALSE(is_empty({Role::user, ""}, EmptyMessages::allowed));
  EXPECT_FALSE(is_empty({Role::tool, ""}, strict)) << "a tool may find nothing";
  EXPECT_FALSE(is_empty({Role::user, Parts{{PartKind::image, "", R"({"type":"image"})"}}}, strict));
  ConversationMessage message{Role::assistant};
  message.tool_calls = {{"a", "f", "{}", ""}};
  EXPECT_FALSE(is_empty(message, strict));
  ConversationMessage thought{Role::assistant, ""};
  thought.extra_json = R"({"reasoning_content":"hm"})";
  EXPECT_FALSE(is_empty(thought, strict));
  thought.extra_json = R"({"refusal":null,"annotations":[],"reasoning_content":""})";
  EXPECT_TRUE(is_empty(thought, strict));
}

TEST(EmptyMessagesTest, BlankPartsGoAndTheirBreakpointStays) {
  const ConversationMessage message{
      Role::user, Parts{text_part("look"), text_part(" ", R"({"cache_control":{"type":"ephemeral"}})")}};
  const auto without = without_blanks(message, EmptyMessages::blanks_refused);
  ASSERT_TRUE(without);
  EXPECT_EQ(std::get<Parts>(without->message.content).size(), 1U);
  EXPECT_TRUE(without->has_breakpoint);
  EXPECT_EQ(without->message.extra_json, R"({"cache_control":{"type":"ephemeral"}})");
  EXPECT_FALSE(without_blanks(message, EmptyMessages::refused));
  EXPECT_FALSE(without_blanks({Role::user, Parts{text_part("look")}}, EmptyMessages::blanks_refused));
}

TEST(EmptyMessagesTest, AResultOfBlanksIsAnEmptyString) {
  const auto without = without_blanks({Role::tool, Parts{text_part("")}}, EmptyMessages::blanks_refused);
  ASSERT_TRUE(without);
  EXPECT_EQ(std::get<std::string>(without->message.content), "");
}

}  // namespace
}  // namespace ctxmgr
