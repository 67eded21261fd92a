#include "literals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::names_in;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

ConversationMessage calling(const std::string& arguments) {
  ConversationMessage message{Role::assistant, ""};
  message.tool_calls.push_back({"c", "read", arguments, {}});
  return message;
}

using Want = void (*)(const std::vector<ConversationMessage>& messages, ctxpack::Wants& wants);

/// The wanted texts of a step, those from far back once more.
std::vector<std::string> wanted_at(std::size_t step, const std::vector<ConversationMessage>& messages, Want want) {
  ctxpack::Wants wants(messages.size());
  want(messages, wants);
  std::vector<std::string> texts;
  for (const auto* wanted : wants.by_step[step]) texts.push_back(wanted->texts.front());
  return texts;
}

std::vector<std::string> needed_at(std::size_t step, const std::vector<ConversationMessage>& messages) {
  return wanted_at(step, messages, ctxpack::want_literals);
}

std::vector<std::string> words_at(std::size_t step, const std::vector<ConversationMessage>& messages) {
  return wanted_at(step, messages, ctxpack::want_words);
}

TEST(LiteralsTest, NamesArePathsIdentifiersNumbersAndIds) {
  EXPECT_THAT(names_in("see ./src/core/utf8.cpp"), ElementsAre("src/core/utf8.cpp"));
  EXPECT_THAT(names_in("call parse_line or readAll of it"), ElementsAre("parse_line", "readAll"));
  EXPECT_THAT(names_in("order #W6750959, 10442 pieces, commit 5f3a9c1"), ElementsAre("W6750959", "10442", "5f3a9c1"));
}

TEST(LiteralsTest, PlainWordsShortNumbersAndPartsOfFractionsAreNone) {
  EXPECT_THAT(names_in("The invoice of March came to 300 or 3.14159 and 2021.5 EUR"), IsEmpty());
  EXPECT_THAT(names_in("/dev/null /tmp/a/b/c https://example.org/index/page"), IsEmpty());
}

TEST(LiteralsTest, ALiteralStandsAloneOrNotAtAll) {
  EXPECT_TRUE(ctxpack::stands_in("a_key", "x.a_key()"));
  EXPECT_FALSE(ctxpack::stands_in("a_key", "a_keys my_a_key"));
}

TEST(LiteralsTest, NeededIsWhatAResultOrUserSaidBefore) {
  const std::vector<ConversationMessage> messages{{Role::user, "Fix it"},
                                                  calling("{}"),
                                                  {Role::tool, "in src/late_fee.cpp"},
                                                  calling(R"({"path":"src/late_fee.cpp"})")};
  EXPECT_THAT(needed_at(3, messages), ::testing::Contains("src/late_fee.cpp"));
}

TEST(LiteralsTest, WhatTheModelOrTheTaskBroughtUpIsNotNeeded) {
  const std::vector<ConversationMessage> messages{{Role::user, "Fix src/late_fee.cpp"},
                                                  {Role::assistant, "and other_file too"},
                                                  {Role::user, "yes"},
                                                  calling(R"({"a":"src/late_fee.cpp","b":"other_file"})")};
  EXPECT_THAT(needed_at(3, messages), IsEmpty());
}

TEST(LiteralsTest, WhatManyMessagesHaveIsNotNeeded) {
  std::vector<ConversationMessage> messages{{Role::user, "Fix it"}};
  for (int i = 0; i < 6; ++i) messages.push_back({Role::user, "the_name"});
  messages.push_back(calling(R"({"a":"the_name"})"));
  EXPECT_THAT(needed_at(7, messages), IsEmpty());
  messages.erase(messages.begin() + 1);
  EXPECT_THAT(needed_at(6, messages), ElementsAre("the_name"));
}

TEST(LiteralsTest, FarIsMoreThanTenTurnsAgo) {
  std::vector<ConversationMessage> messages{{Role::user, "Fix it"}, {Role::user, "the_name"}};
  for (int i = 0; i < 10; ++i) messages.push_back({Role::assistant, "thinking"});
  messages.push_back(calling(R"({"a":"the_name"})"));
  EXPECT_THAT(needed_at(12, messages), ElementsAre("the_name", "the_name"));
  messages.erase(messages.begin() + 2);
  EXPECT_THAT(needed_at(11, messages), ElementsAre("the_name"));
}

TEST(LiteralsTest, WithoutCallsCodeBlocksAreTheCalls) {
  const std::vector<ConversationMessage> messages{{Role::user, "Fix it"},
                                                  {Role::assistant, "```bash\nls\n```"},
                                                  {Role::user, "src/late_fee.cpp other_file"},
                                                  {Role::assistant, "other_file:\n```bash\ncat src/late_fee.cpp\n```"}};
  EXPECT_THAT(needed_at(3, messages), ElementsAre("src/late_fee.cpp", "late_fee"));
}

TEST(LiteralsTest, WithoutCallsABlockOfAnotherLanguageIsNoCall) {
  const std::vector<ConversationMessage> run = {{Role::user, "Fix it."},
                                                {Role::assistant, "```bash\nls\n```"},
                                                {Role::user, "src/late_fee.cpp"},
                                                {Role::assistant, "```python\nopen('src/late_fee.cpp')\n```"}};
  EXPECT_THAT(needed_at(3, run), IsEmpty());
  EXPECT_THAT(words_at(3, run), Not(IsEmpty()));
}

TEST(LiteralsTest, ArgumentsThatAreNoJsonAreReadAsText) {
  const std::vector<ConversationMessage> messages{
      {Role::user, "Fix it"}, {Role::user, "the_name"}, calling("{the_name")};
  EXPECT_THAT(needed_at(2, messages), ElementsAre("the_name"));
}

TEST(LiteralsTest, AnyWordOfFourLettersIsNeededThatOneOrTwoMessagesHave) {
  std::vector<ConversationMessage> messages{{Role::user, "Fix it"}, {Role::user, "the café owes pay"}};
  messages.push_back(calling(R"({"a":"café “owes” pay"})"));
  EXPECT_THAT(words_at(2, messages), ElementsAre("café", "owes"));
  messages.insert(messages.begin() + 1, {Role::user, "owes"});
  messages.insert(messages.begin() + 1, {Role::user, "owes"});
  EXPECT_THAT(words_at(4, messages), ElementsAre("café"));
}

TEST(LiteralsTest, WordsOfAReplyWithoutCallsAreNeededToo) {
  const std::vector<ConversationMessage> messages{
      {Role::user, "Fix it"}, calling("{}"), {Role::tool, "thirteen pieces"}, {Role::assistant, "There are thirteen."}};
  EXPECT_THAT(words_at(3, messages), ElementsAre("thirteen"));
}

TEST(LiteralsTest, ARunWorksInCodeBlocksWhereHalfOfItsRepliesHaveOne) {
  std::vector<ConversationMessage> messages{{Role::user, "Fix it"}, {Role::assistant, "```bash\nls\n```"}};
  EXPECT_TRUE(ctxpack::is_text_protocol(messages));
  messages.insert(messages.end(), {{Role::assistant, "Well."}, {Role::assistant, "Done."}});
  EXPECT_FALSE(ctxpack::is_text_protocol(messages)) << "a chat that shows a block once";
  EXPECT_FALSE(ctxpack::is_text_protocol({{Role::user, "Hello"}}));
  messages.resize(2);
  messages.push_back(calling("{}"));
  EXPECT_FALSE(ctxpack::is_text_protocol(messages));
}

}  // namespace
