#include "engine/structure/text_command.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(TextCommandTest, TheBlockThatEndsAMessageOfTheAssistantIsItsCommand) {
  const std::vector<ConversationMessage> messages{
      {Role::user, "Mend the fees."},
      {Role::assistant, "An example:\n```\nrm -r old\n```\nNow the files.\n\n```bash\nls -l src\n```\n"},
      {Role::user, "fees.cpp"}};
  EXPECT_EQ(text_command_of(messages[1]), "ls -l src");
  EXPECT_EQ(text_command_answered_by(messages, 2), "ls -l src");
  EXPECT_EQ(text_command_answered_by(messages, 0), "");
  EXPECT_EQ(text_command_answered_by(messages, 1), "");
}

TEST(TextCommandTest, CodeThatIsShownIsNoCommand) {
  EXPECT_EQ(text_command_of({Role::assistant, "Write it so:\n```python\nprint(1)\n```"}), "");
  EXPECT_EQ(text_command_of({Role::assistant, "```bash\nls\n```\nThis lists the files."}), "");
  EXPECT_EQ(text_command_of({Role::user, "```bash\nls\n```"}), "");
  EXPECT_EQ(text_command_of({Role::assistant, "```"}), "");
  EXPECT_EQ(text_command_of({Role::assistant, ""}), "");
  ConversationMessage calls{Role::assistant, "```bash\nls\n```"};
  calls.tool_calls.push_back({"c1", "bash", "{}"});
  EXPECT_EQ(text_command_of(calls), "") << "it has a protocol";
}

TEST(TextCommandTest, WhatAgentsWithoutAProtocolEndWithIsACommand) {
  for (const char* const text : {"Look.\n```\nls\n```", "```bash\nls\n```", "```python\nprint(1)\n```",
                                 "Thought: it.\nAction: search[red shoes]", "click(3)",
                                 "<function=bash>\nls\n</function>", "{\"command\": \"ls\"}", "ls -l src", "./run.sh"})
    EXPECT_TRUE(ends_in_command({Role::assistant, text})) << text;
  for (const char* const text :
       {"It is fixed.", "It is fixed", "Which one?", "Fixed:\n```cpp\nint x;\n```", "The page:\n```html\n<p></p>\n```",
        "```\nls\n```\nThis lists the files.", "I fixed it (see above)", "ok, done.", "done!", "", "早安"})
    EXPECT_FALSE(ends_in_command({Role::assistant, text})) << text;
  EXPECT_FALSE(ends_in_command({Role::user, "ls"}));
}

}  // namespace
}  // namespace ctxmgr::engine
