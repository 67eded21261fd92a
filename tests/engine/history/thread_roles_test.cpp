#include "engine/history/thread_roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;

ConversationMessage user(const std::string& text) { return {Role::user, text}; }
ConversationMessage assistant(const std::string& text) { return {Role::assistant, text}; }

ConversationMessage file_call() {
  ConversationMessage message{Role::assistant, ""};
  message.tool_calls.push_back({"c", "read", "{}", {}});
  return message;
}

ThreadRoles roles_of(const std::vector<ConversationMessage>& messages) {
  ThreadRoles roles;
  roles.extend(messages);
  return roles;
}

TEST(ThreadRolesTest, EveryRoleOfAConversationHasItsOwn) {
  const auto roles =
      roles_of({{Role::system, "Be brief."}, user("Read it"), file_call(), {Role::tool, "text"}, assistant("Done.")});
  EXPECT_EQ(roles.of(0), ThreadRole::instruction);
  EXPECT_EQ(roles.of(1), ThreadRole::asked);
  EXPECT_EQ(roles.of(2), ThreadRole::reply);
  EXPECT_EQ(roles.of(3), ThreadRole::result);
  EXPECT_EQ(roles.of(4), ThreadRole::reply);
}

/// A thread in which the assistant says `reply` and the user role answers with each of these.
std::vector<ConversationMessage> answered(const std::string& first, const std::string& reply,
                                          const std::vector<std::string>& texts) {
  std::vector<ConversationMessage> messages{user(first)};
  for (const auto& text : texts) {
    messages.push_back(assistant(reply));
    messages.push_back(user(text));
  }
  return messages;
}

const std::string command = "Next.\n```\nls\n```";
const std::string prompt = "\n(Directory: /srv)\nbash-5$";

TEST(ThreadRolesTest, WhatEndsWithTheSamePromptOrFrameIsOutputFromTheThirdOn) {
  const auto roles =
      roles_of(answered("Fix it", command, {"main.c\nfees.c" + prompt, "3 failed" + prompt, "int main() {}" + prompt}));
  for (const std::size_t i : {2U, 4U, 6U}) EXPECT_EQ(roles.of(i), ThreadRole::observation) << i;
  EXPECT_EQ(roles.of(2, 6), ThreadRole::asked) << "two may be chance";
  EXPECT_THAT(roles.asked(), ElementsAre(0));
  EXPECT_TRUE(roles.is_loop());
  EXPECT_THAT(roles_of(answered("Hello", command,
                                {"Please read it.\nBest, Tom", "Thank you.\nBest, Tom", "Which one?\nBest, Tom"}))
                  .asked(),
              ElementsAre(0, 2, 4, 6))
      << "no prompt ends so";
}

TEST(ThreadRolesTest, ATaskThatEndsAsOutputDoesIsTheTask) {
  std::vector<ConversationMessage> messages{{Role::system, "Be brief."}, user("So it is done: ls" + prompt)};
  for (const auto& message :
       answered("Fix the fees." + prompt, command, {"a" + prompt, "b" + prompt, "c" + prompt, "d" + prompt}))
    messages.push_back(message);
  const auto roles = roles_of(messages);
  EXPECT_THAT(roles.asked(), ElementsAre(1, 2));
  EXPECT_EQ(roles.of(4), ThreadRole::observation);
}

TEST(ThreadRolesTest, WhatAnswersNoCommandIsNoOutput) {
  const auto roles = roles_of(answered("Fix it", "Which one do you mean?", {"a" + prompt, "b" + prompt, "c" + prompt}));
  EXPECT_THAT(roles.asked(), ElementsAre(0, 2, 4, 6));
  EXPECT_FALSE(roles.is_loop());
}

TEST(ThreadRolesTest, PastedCodeMakesNoLoop) {
  for (const char* const end : {"\n}", "\nmain()", "\n});", "\n</html>", "\n]", "\n#endif", "\nFix that:"}) {
    for (const auto* const reply : {"Fixed:\n```cpp\nint x;\n```", "Fixed:\n```\nint x;\n```", "It is fixed."}) {
      const auto roles = roles_of(answered("Hello", reply,
                                           {std::string("int a;") + end, std::string("int b;") + end,
                                            std::string("int c;") + end, std::string("int d;") + end}));
      EXPECT_THAT(roles.asked(), ElementsAre(0, 2, 4, 6, 8)) << end << reply;
      EXPECT_FALSE(roles.is_loop()) << end << reply;
    }
  }
}

TEST(ThreadRolesTest, WhoBeginsEachMessageWithTheSameWordsIsTheUser) {
  for (const char* const begin : {"Fix this:\n", "Item 3:\n", "Next:\n", "Hello,\n"}) {
    const auto roles = roles_of(
        answered("Hi", command, {begin + std::string("a"), begin + std::string("b"), begin + std::string("c")}));
    EXPECT_THAT(roles.asked(), ElementsAre(0, 2, 4, 6)) << begin;
  }
  EXPECT_THAT(roles_of(answered("<order>40</order>", command,
                                {"<order>45</order>", "<order>99</order>", "<order>the other fee</order>"}))
                  .asked(),
              ElementsAre(0, 2, 4, 6))
      << "the thread begins with a tag of the user's";
}

TEST(ThreadRolesTest, AMessageThatEqualsTheOneBeforeToTheByteIsANudge) {
  for (const bool in_loop : {false, true}) {
    std::vector<ConversationMessage> messages{user("Fix it"), user("Fix it"), user("fix it"), user("Fix  it")};
    if (in_loop) messages.push_back(file_call());
    EXPECT_THAT(roles_of(messages).asked(), ElementsAre(0, 2, 3));
    EXPECT_EQ(roles_of(messages).of(1), ThreadRole::nudge);
  }
}

TEST(ThreadRolesTest, TheNewestOrderOfAFormIsAnOrder) {
  std::vector<ConversationMessage> messages{user("We port the fees."), file_call()};
  for (const int fee : {40, 45, 40, 99})
    messages.push_back(user("Set the late fee to " + std::to_string(fee) + " euros."));
  for (const bool in_loop : {false, true}) {
    if (!in_loop) messages.erase(messages.begin() + 1);
    const auto roles = roles_of(messages);
    EXPECT_EQ(roles.asked().size(), 5U) << "each is an order";
    EXPECT_EQ(roles.asked().back(), messages.size() - 1);
    if (!in_loop) break;
  }
}

TEST(ThreadRolesTest, WhatAHarnessMaySayAgainIsNoTaskFromTheThirdTimeOn) {
  std::vector<ConversationMessage> messages{user("Fix it"), file_call()};
  for (const int found : {2, 3, 2}) {
    messages.push_back(user("Give one action, found " + std::to_string(found)));
    messages.push_back(file_call());
  }
  const auto roles = roles_of(messages);
  EXPECT_THAT(roles.requests(), ElementsAre(0));
  EXPECT_THAT(roles.requests(6), ElementsAre(0, 2, 4)) << "what a compaction took for the task stays";
  EXPECT_THAT(roles.asked(), ElementsAre(0, 2, 4, 6)) << "it may be the user, so it is quoted";
}

TEST(ThreadRolesTest, RequestsThatDifferByANumberAreRequestsUntilOneComesAgainToTheLetter) {
  std::vector<ConversationMessage> messages{user("Hello"), file_call(), user("Fix #12."), user("Fix #13."),
                                            user("Fix #14.")};
  EXPECT_THAT(roles_of(messages).requests(), ElementsAre(0, 2, 3, 4));
  messages.push_back(user("Fix #13."));
  EXPECT_THAT(roles_of(messages).requests(), ElementsAre(0));
  EXPECT_THAT(roles_of(messages).asked(), ElementsAre(0, 2, 3, 4, 5));
}

TEST(ThreadRolesTest, AQuestionThatIsAskedAgainIsARequest) {
  const auto roles = roles_of({user("Fix it"), user("How large is it?"), file_call(), user("And now?"),
                               user("How large is it?"), user("how large is it?"), user("How large is it?")});
  EXPECT_THAT(roles.requests(), ElementsAre(0, 1, 3, 4, 5, 6));
}

TEST(ThreadRolesTest, WhatAThreadBeginsWithDoesNotRecur) {
  const auto roles = roles_of({user("go on"), file_call(), user("more"), user("go on"), user("more"), user("go on")});
  EXPECT_THAT(roles.requests(), ElementsAre(0, 2, 3, 4, 5));
}

TEST(ThreadRolesTest, OnlyTheNewestRepeatIsSaidAgain) {
  EXPECT_EQ(roles_of({user("Read it."), assistant("x"), user("Read it.")}).said_again(3), 2U);
  EXPECT_EQ(roles_of({user("Read it."), assistant("x"), user("read it.")}).said_again(3), std::nullopt);
}

TEST(ThreadRolesTest, TheThirdMessageOfATagShowsThatAllAreObservations) {
  std::vector<ConversationMessage> messages{user("<issue>Fix it</issue>"),
                                            assistant("ls"),
                                            user("<code>0</code>\n<out>a.py</out>"),
                                            assistant("cat a.py"),
                                            user("<code>1</code>\n<out>no file</out>"),
                                            assistant("cat b.py")};
  ThreadRoles roles = roles_of(messages);
  EXPECT_EQ(roles.of(2), ThreadRole::asked);
  EXPECT_FALSE(roles.is_loop());
  messages.push_back(user("<code>0</code>\n<out>b.py</out>"));
  roles.extend(messages);
  for (const std::size_t i : {2U, 4U, 6U}) EXPECT_EQ(roles.of(i), ThreadRole::observation) << i;
  EXPECT_TRUE(roles.is_loop());
  EXPECT_THAT(roles.asked(), ElementsAre(0));
}

TEST(ThreadRolesTest, SoDoesALabelOfOutputDigitsAside) {
  for (const char* const label : {"Observation:\n", "STDOUT:\n", "RESULT of [1]:\n", "[step 1]\n"}) {
    for (const char* const reply : {"```bash\nls\n```", "Action: search[red shoes]", "<function=bash>ls</function>",
                                    "{\"command\": \"ls\"}", "```python\nprint(1)\n```"}) {
      const auto roles = roles_of(
          answered("Fix it", reply, {label + std::string("a"), label + std::string("b"), label + std::string("c")}));
      EXPECT_THAT(roles.asked(), ElementsAre(0)) << label << reply;
    }
  }
}

TEST(ThreadRolesTest, AnObservationThatComesAgainIsStillOne) {
  const auto roles = roles_of(answered("Fix it", command, {"<out>a</out>", "<out>b</out>", "<out>a</out>"}));
  EXPECT_EQ(roles.of(6), ThreadRole::observation);
}

TEST(ThreadRolesTest, MessagesThatAreAllEqualAreNudgesAndMakeNoLoop) {
  const auto roles = roles_of(answered("continue", command, {"continue", "continue"}));
  EXPECT_EQ(roles.of(0), ThreadRole::asked);
  EXPECT_EQ(roles.of(4), ThreadRole::nudge);
  EXPECT_FALSE(roles.is_loop());
}

TEST(ThreadRolesTest, WhereCallsHaveResultsSimilarUserMessagesAreRequests) {
  auto messages = answered("Fix it", command, {"<issue>one</issue>", "<issue>two</issue>", "<issue>three</issue>"});
  messages.push_back(file_call());
  EXPECT_THAT(roles_of(messages).asked(), ElementsAre(0, 2, 4, 6));
  EXPECT_TRUE(roles_of(messages).is_loop());
}

TEST(ThreadRolesTest, ReadingStepByStepGivesTheSame) {
  auto messages = answered("Fix it", command, {"<out>1</out>", "<out>b</out>", "go on", "go on", "<out>c</out>"});
  messages.push_back(user("<other>"));
  messages.push_back(file_call());
  ThreadRoles steps;
  for (std::size_t n = 1; n <= messages.size(); ++n) {
    const std::vector<ConversationMessage> first(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(n));
    steps.extend(first);
    const auto whole = roles_of(first);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(steps.of(i), whole.of(i)) << n << " " << i;
    }
    EXPECT_EQ(steps.is_loop(), whole.is_loop());
  }
}

TEST(ThreadRolesTest, AChatIsALoopFromTheFirstCallOrOutputOn) {
  std::vector<ConversationMessage> messages{user("Hello"), assistant("Hi"), user("Find it"), assistant("")};
  messages.back().tool_calls.push_back({"a", "search", "{}"});
  const auto roles = roles_of(messages);
  EXPECT_FALSE(roles.is_loop(3)) << "notes that were made before stay as they are";
  EXPECT_TRUE(roles.is_loop(4));
  EXPECT_TRUE(roles.is_loop());
}

}  // namespace
}  // namespace ctxmgr::engine
