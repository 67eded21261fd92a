#include "engine/history/thread_roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

TEST(ThreadRolesTest, WhatEndsWithTheSamePromptOrFrameIsOutputFromTheThirdOn) {
  const auto prompt = [](const std::string& text, const std::string& end) { return user(text + "\n" + end); };
  std::vector<ConversationMessage> messages{user("Fix it")};
  for (const auto* text : {"main.c\nfees.c", "3 failed", "int main() {}"}) {
    messages.push_back(assistant("Next."));
    messages.push_back(prompt(text, "(Directory: /srv)\nbash-5$"));
  }
  const auto roles = roles_of(messages);
  for (const std::size_t i : {2U, 4U, 6U}) EXPECT_EQ(roles.of(i), ThreadRole::observation) << i;
  EXPECT_EQ(roles.of(2, 6), ThreadRole::asked) << "two may be chance";
  EXPECT_THAT(roles.asked(), ElementsAre(0));
  std::vector<ConversationMessage> letters{user("Hello")};
  for (const auto* text : {"Please read it.", "Thank you.", "Which one?"}) letters.push_back(prompt(text, "Best, Tom"));
  EXPECT_THAT(roles_of(letters).asked(), ElementsAre(0, 1, 2, 3)) << "no prompt ends so";
}

TEST(ThreadRolesTest, ARepeatedUserMessageIsANudgeCaseAside) {
  const auto roles =
      roles_of({user("Fix it"), user("Give ONE action, found 2"), user("give one action,  found 2"), file_call()});
  EXPECT_EQ(roles.of(1), ThreadRole::asked);
  EXPECT_EQ(roles.of(2), ThreadRole::nudge);
  EXPECT_THAT(roles.asked(), ElementsAre(0, 1));
}

TEST(ThreadRolesTest, RequestsThatDifferByANumberAreRequestsUntilOneComesAgainToTheLetter) {
  std::vector<ConversationMessage> messages{user("Hello"), file_call(), user("Fix #12."), user("Fix #13."),
                                            user("Fix #14.")};
  EXPECT_THAT(roles_of(messages).asked(), ElementsAre(0, 2, 3, 4));
  messages.push_back(user("Fix #13."));
  messages.push_back(user("Fix #15."));
  EXPECT_EQ(roles_of(messages).of(5), ThreadRole::nudge);
  EXPECT_EQ(roles_of(messages).of(6), ThreadRole::nudge);
}

TEST(ThreadRolesTest, AQuestionThatIsAskedAgainLaterIsAskedInALoopToo) {
  const auto roles = roles_of({user("Fix it"), user("How large is it?"), file_call(), user("And now?"),
                               user("How large is it?"), user("how large is it?")});
  EXPECT_THAT(roles.asked(), ElementsAre(0, 1, 3, 4));
}

TEST(ThreadRolesTest, TheThirdTimeShowsThatTheFirstWasANudgeAsWell) {
  std::vector<ConversationMessage> messages{user("Fix it"), file_call()};
  for (const int found : {2, 2, 3}) messages.push_back(user("Give one action, found " + std::to_string(found)));
  const auto roles = roles_of(messages);
  EXPECT_THAT(roles.asked(), ElementsAre(0));
  EXPECT_THAT(roles.asked(4), ElementsAre(0, 2)) << "what a compaction took for the task stays";
}

TEST(ThreadRolesTest, WhatAThreadBeginsWithIsNoNudge) {
  const auto roles = roles_of({user("go on"), file_call(), user("go on"), user("go on"), user("go on")});
  EXPECT_THAT(roles.asked(), ElementsAre(0));
}

TEST(ThreadRolesTest, AQuestionAboutAnotherNumberIsAnotherQuestion) {
  for (const auto* mark : {"?", "\u061f", "\uff1f"}) {
    const auto roles = roles_of({user("Fix it"), user(std::string("What is item 3") + mark),
                                 user(std::string("What is item 4") + mark), file_call()});
    EXPECT_THAT(roles.asked(), ElementsAre(0, 1, 2)) << mark;
  }
}

TEST(ThreadRolesTest, WithoutAnAgentWhoAsksAgainLaterWantsToKnowAgain) {
  const auto roles = roles_of({user("Read item 3"), user("Read item 4"), user("Read item 3"), user("read item 3")});
  EXPECT_THAT(roles.asked(), ElementsAre(0, 1, 2));
}

TEST(ThreadRolesTest, AnswersThatAreNumbersAreNoNudges) {
  const auto roles = roles_of({user("3"), user("5"), user("3"), file_call()});
  EXPECT_EQ(roles.of(1), ThreadRole::asked);
  EXPECT_EQ(roles.of(2), ThreadRole::nudge);
}

TEST(ThreadRolesTest, TheThirdMessageOfATagShowsThatAllAreObservations) {
  std::vector<ConversationMessage> messages{user("<issue>Fix it</issue>"), assistant("ls"),
                                            user("<code>0</code>\n<out>a.py</out>"), assistant("cat a.py"),
                                            user("<code>1</code>\n<out>no file</out>")};
  ThreadRoles roles = roles_of(messages);
  EXPECT_EQ(roles.of(2), ThreadRole::asked);
  EXPECT_FALSE(roles.is_loop());
  messages.push_back(user("<code>0</code>\n<out>b.py</out>"));
  roles.extend(messages);
  for (const std::size_t i : {2U, 4U, 5U}) EXPECT_EQ(roles.of(i), ThreadRole::observation) << i;
  EXPECT_TRUE(roles.is_loop());
  EXPECT_THAT(roles.asked(), ElementsAre(0));
}

TEST(ThreadRolesTest, SoDoesAFirstLineDigitsAside) {
  const auto roles = roles_of({user("Step 1 output:\na"), user("Step 2 output:\nb"), user("Step 10 output:\nc")});
  EXPECT_THAT(roles.asked(), IsEmpty());
}

TEST(ThreadRolesTest, AnObservationThatComesAgainIsStillOne) {
  const auto roles = roles_of({user("<out>a</out>"), user("<out>b</out>"), user("<out>a</out>")});
  EXPECT_EQ(roles.of(2), ThreadRole::observation);
}

TEST(ThreadRolesTest, MessagesThatAreAllEqualAreNudgesAndMakeNoLoop) {
  const auto roles = roles_of({user("continue"), user("continue"), user("Continue")});
  EXPECT_EQ(roles.of(0), ThreadRole::asked);
  EXPECT_EQ(roles.of(2), ThreadRole::nudge);
  EXPECT_FALSE(roles.is_loop());
}

TEST(ThreadRolesTest, WhereCallsHaveResultsSimilarUserMessagesAreRequests) {
  const auto roles =
      roles_of({user("<issue>one</issue>"), user("<issue>two</issue>"), user("<issue>three</issue>"), file_call()});
  EXPECT_THAT(roles.asked(), ElementsAre(0, 1, 2));
  EXPECT_TRUE(roles.is_loop());
}

TEST(ThreadRolesTest, ReadingStepByStepGivesTheSame) {
  const std::vector<ConversationMessage> messages{user("Fix it"),       user("<out>1</out>"), assistant("x"),
                                                  user("<out>b</out>"), user("go on"),        user("<out>c</out>"),
                                                  user("go on"),        user("<other>")};
  ThreadRoles steps;
  for (std::size_t n = 1; n <= messages.size(); ++n) {
    const std::vector<ConversationMessage> first(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(n));
    steps.extend(first);
    const auto whole = roles_of(first);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(steps.of(i), whole.of(i)) << n << " " << i;
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
