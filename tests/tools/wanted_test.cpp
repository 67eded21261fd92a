#include "wanted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::Ask;
using ctxpack::flat;
using ctxpack::Look;
using ctxpack::Measure;
using ctxpack::RecordedRun;
using ctxpack::Wanted;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t budget = 100;

Wanted answer(std::vector<std::string> parts, std::size_t within) {
  return {Measure::asked_back, Look::near, std::move(parts), "value", within};
}

/// Steps whose requests are asked for something of this measure.
std::vector<std::size_t> steps_of(const RecordedRun& run, Measure measure) {
  const auto wants = ctxpack::wanted_of(run, budget);
  std::vector<std::size_t> steps;
  for (std::size_t step = 0; step < run.messages.size(); ++step)
    for (const auto* wanted : wants.by_step[step])
      if (wanted->measure == measure) steps.push_back(step);
  return steps;
}

/// "task", then replies of 40 tokens each.
RecordedRun talking(std::size_t replies) {
  RecordedRun run{"agent/one", {{Role::user, "task"}}, {}};
  for (std::size_t i = 0; i < replies; ++i) run.messages.push_back({Role::assistant, std::string(160, 'x')});
  return run;
}

TEST(WantedTest, EscapesOfJsonAndWhiteSpaceAreOneBlank) {
  EXPECT_EQ(flat(R"({\"a\":\n\t1})"), "{\"a\": 1}");
  EXPECT_EQ(flat("a \t\n\xC2\xA0\xE2\x80\xA8 b"), "a b");
  EXPECT_EQ(flat("\xC2\xA7 \xE2\x82\xAC"), "\xC2\xA7 \xE2\x82\xAC") << "signs that begin with the same bytes stay";
}

TEST(WantedTest, AllPartsStandNearTheLast) {
  const auto wanted = answer({"rate", "0.25"}, 10);
  EXPECT_TRUE(has_near(wanted, "the rate: 0.25"));
  EXPECT_FALSE(has_near(wanted, "the rate of the second quarter: 0.25"));
  EXPECT_FALSE(has_near(wanted, "the rate"));
  EXPECT_TRUE(has_near(wanted, "0.25 of it; and the rate = 0.25")) << "any place of the last part";
  EXPECT_TRUE(has_near(answer({"rate"}, 0), "the rate"));
}

TEST(WantedTest, NearIsCountedInCharacters) {
  EXPECT_TRUE(has_near(answer({"rate", "0.25"}, 10), "rate \u00e9\u00e9\u00e9\u00e9 0.25"));
}

TEST(WantedTest, TheQuestionsRequestAndTheThreeAfterItShouldHaveAnAnswerThatNoTailKeeps) {
  auto run = talking(7);
  run.asks = {{1, "value", "Which?", {"a"}, 0, {}, budget + 1, budget / 2 + 1}};
  EXPECT_THAT(steps_of(run, Measure::asked_back), ElementsAre(2));
  EXPECT_THAT(steps_of(run, Measure::asked_back_next), ElementsAre(3, 4, 5));
  run.asks[0].age = budget / 2;
  EXPECT_THAT(steps_of(run, Measure::asked_back), IsEmpty());
  run.asks[0].age = budget;
  run.asks[0].before = budget;
  EXPECT_THAT(steps_of(run, Measure::asked_back), IsEmpty()) << "the thread fits";
}

TEST(WantedTest, ARuleIsWantedOnceTheThreadIsOverTheBudgetAndTheRuleFarBack) {
  auto run = talking(6);
  run.rules = {{"first", 0, "Answer in  German."}};
  EXPECT_THAT(steps_of(run, Measure::rules), ElementsAre(4, 5, 6));
  EXPECT_EQ(ctxpack::wanted_of(run, budget).by_step[4].back()->texts, std::vector<std::string>{"Answer in German."});
  run.rules = {{"middle", 3, "x"}};
  EXPECT_THAT(steps_of(run, Measure::rules), ElementsAre(6)) << "80 tokens behind it, where 50 are half";
}

TEST(WantedTest, WhatTheTaskAsksForIsWantedBeforeTheLastReplyWhereItsResultIsFarBack) {
  auto run = talking(1);
  run.gold = {"the fee\nis 7 EUR"};
  run.messages.push_back({Role::tool, "As was said: the fee is 7 EUR."});
  for (int i = 0; i < 4; ++i) run.messages.push_back({Role::assistant, std::string(160, 'x')});
  EXPECT_THAT(steps_of(run, Measure::task_recall), ElementsAre(6));
  run.messages.insert(run.messages.end() - 1, {Role::tool, "the fee is 7 EUR"});
  EXPECT_THAT(steps_of(run, Measure::task_recall), IsEmpty()) << "it was just read again";
}

TEST(WantedTest, AllMessagesOfTheUserAreDemandsButQuestionsAboutThePastAndResults) {
  auto run = talking(1);
  run.messages.insert(run.messages.end(), {{Role::user, "Never touch main.\n\nAnd hurry."},
                                           {Role::assistant, "Yes."},
                                           {Role::user, "Which?"},
                                           {Role::assistant, "That."}});
  run.asks = {{4, "value", "Which?", {"a"}, 0, {}, 0, 0}};
  EXPECT_THAT(steps_of(run, Measure::demands), ElementsAre(1, 3, 3, 5, 5));
  const auto wants = ctxpack::wanted_of(run, budget);
  EXPECT_THAT(wants.by_step[3].back()->texts, ElementsAre("Never touch main.", "And hurry."));
  for (auto& message : run.messages)
    if (message.role == Role::assistant) message.content = std::string("```bash\nls\n```");
  EXPECT_THAT(steps_of(run, Measure::demands), ElementsAre(1, 3, 5)) << "what follows a command is its result";
}

}  // namespace
