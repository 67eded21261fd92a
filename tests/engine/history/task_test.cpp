#include "engine/history/task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TaskChoice chosen(const std::vector<std::int64_t>& tokens, const std::set<std::size_t>& finished = {}) {
  std::vector<std::size_t> asked;
  std::vector<bool> is_finished;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    asked.push_back(i);
    is_finished.push_back(finished.contains(i));
  }
  return choose_task(
      asked, 1'000, [&](std::size_t i) { return tokens[i]; }, is_finished);
}

TEST(TaskTest, TheNewestLongMessageAndThreeShortOnesBehindItAreTheTask) {
  EXPECT_THAT(chosen({500, 30, 5, 6, 7, 8}).messages, ElementsAre(1, 3, 4, 5));
}

TEST(TaskTest, WhatAThreadBeganWithStaysWhereItIsShort) {
  EXPECT_THAT(chosen({90, 300}).messages, ElementsAre(0, 1));
  EXPECT_THAT(chosen({110, 300}).messages, ElementsAre(1));
  EXPECT_THAT(chosen({10, 300, 30}, {0, 1}).messages, ElementsAre(0, 2)) << "it is answered";
}

TEST(TaskTest, FinishedRequestsAreALineEachButForTheNewestLongOne) {
  const auto choice = chosen({40, 5, 30, 6, 7}, {0, 1, 2, 3});
  EXPECT_THAT(choice.messages, ElementsAre(0, 2, 4));
  EXPECT_THAT(choice.finished, ElementsAre(1, 3));
}

TEST(TaskTest, AFinishedRequestThatWouldFillTheRoomIsALineToo) {
  const auto choice = chosen({40, 600, 30, 5}, {1, 2});
  EXPECT_THAT(choice.messages, ElementsAre(0, 2, 3));
  EXPECT_THAT(choice.finished, ElementsAre(1));
  EXPECT_THAT(chosen({40, 600, 5}, {1}).messages, ElementsAre(0, 2));
  EXPECT_THAT(chosen({40, 600, 5}).messages, ElementsAre(0, 1, 2)) << "it is not finished";
  EXPECT_THAT(chosen({600, 5}, {0}).messages, ElementsAre(0, 1)) << "the thread began with it";
}

TEST(TaskTest, NothingAskedIsNoTask) { EXPECT_THAT(chosen({}).messages, IsEmpty()); }

TEST(TaskTest, ARequestIsFinishedWhereALaterOneFollowsAnAnswerWithoutACall) {
  ConversationMessage call{Role::assistant, "Looking."};
  call.tool_calls.push_back({"a", "search", "{}"});
  ConversationMessage result{Role::tool, "found"};
  result.tool_call_id = "a";
  const std::vector<ConversationMessage> history{
      {Role::user, "one"},  {Role::assistant, "done"}, {Role::user, "then do the other"}, call, result,
      {Role::user, "three"}};
  EXPECT_THAT(finished_requests(history, {0, 2, 5}), ElementsAre(true, false, false));
}

TEST(TaskTest, WhatWasAskedBeforeAFinishedRequestIsFinishedToo) {
  const std::vector<ConversationMessage> history{
      {Role::user, "one"}, {Role::user, "two"}, {Role::assistant, "done"}, {Role::user, "then do the third"}};
  EXPECT_THAT(finished_requests(history, {0, 1, 3}), ElementsAre(true, true, false));
}

TEST(TaskTest, WhoSaysOnlyToGoOnHasNotFinishedWhatWasAskedBefore) {
  const auto finished = [](const char* last) -> bool {
    const std::vector<ConversationMessage> history{
        {Role::user, "Find out why leases are lost."}, {Role::assistant, "I am looking."}, {Role::user, last}};
    return finished_requests(history, {0, 2}).front();
  };
  for (const char* const goes_on : {"Go on.", "yes", "Bitte mach weiter", "\u7ee7\u7eed", ""})
    EXPECT_FALSE(finished(goes_on)) << goes_on;
  for (const char* const more :
       {"Why?", "Tell me more", "Read docs/a.md", "Now do it all again", "Vergleichsuntersuchungen!"})
    EXPECT_TRUE(finished(more)) << more;
}

}  // namespace
}  // namespace ctxmgr::engine
