#include "engine/history/role_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> notes_of(const std::vector<ConversationMessage>& messages) {
  ThreadRoles roles;
  roles.extend(messages);
  return notes_of_roles(messages, roles);
}

TEST(RoleNotesTest, WhatIsNotTakenForTheUsersWordsIsNamedWithItsNumbers) {
  std::vector<ConversationMessage> messages{{Role::user, "Fix the fees."}};
  for (const char* const output : {"a.py", "b.py", "c.py"}) {
    messages.push_back({Role::assistant, "```\nls\n```"});
    messages.push_back({Role::user, std::string("<out>") + output + "</out>"});
  }
  messages.push_back({Role::user, "Go on."});
  messages.push_back({Role::user, "Go on."});
  EXPECT_THAT(notes_of(messages),
              ElementsAre(HasSubstr("(3, 5, 7): taken for output"), HasSubstr("(9): each repeats")));
}

TEST(RoleNotesTest, OfManyTheNewestAreNamed) {
  std::vector<ConversationMessage> messages{{Role::user, "Fix the fees."}};
  for (int i = 0; i < 10; ++i) {
    messages.push_back({Role::assistant, "```\nls\n```"});
    messages.push_back(
        {Role::user, "<out>" + std::to_string(i) + " a</out>" + std::string(1, static_cast<char>('a' + i))});
  }
  EXPECT_THAT(notes_of(messages), ElementsAre(HasSubstr("(4 older, 11, 13, 15, 17, 19, 21): taken for output")));
}

TEST(RoleNotesTest, WhatMayBeAHarnesssReminderIsNamed) {
  ConversationMessage call{Role::assistant, ""};
  call.tool_calls.push_back({"c", "read", "{}", {}});
  std::vector<ConversationMessage> messages{{Role::user, "Fix the fees."}, call};
  for (const char* const said :
       {"Give one action, found 2.", "Give one action, found 3.", "Give one action, found 2."}) {
    messages.push_back({Role::assistant, "So."});
    messages.push_back({Role::user, said});
  }
  EXPECT_THAT(notes_of(messages), ElementsAre(HasSubstr("(4, 6, 8): they recur")));
}

TEST(RoleNotesTest, OfAConversationNothingIsSaid) {
  EXPECT_THAT(notes_of({{Role::user, "Hello."}, {Role::assistant, "Hi."}, {Role::user, "How are you?"}}), IsEmpty());
}

}  // namespace
}  // namespace ctxmgr::engine
