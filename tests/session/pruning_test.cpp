#include "session/pruning.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "ctxmgr/testing/scripted_llm_client.hpp"
#include "session/thread_fixture.hpp"
#include "session/thread_view.hpp"

namespace ctxmgr::session {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string long_text(2'000, 'x');

class PruningTest : public ::testing::Test {
 protected:
  PrunePlan plan(const std::vector<ConversationMessage>& messages, PruneLimits limits = {}) {
    return plan_pruning(numbered(messages), limits, *counter_);
  }
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(PruningTest, AThreadThatFitsIsLeftAlone) {
  EXPECT_THAT(plan({says(Role::user, "hello"), says(Role::user, "x")}, {1'000, 700, ""}).ranges, IsEmpty());
}

TEST_F(PruningTest, IntermediateReasoningGoesFirst) {
  const auto planned =
      plan({says(Role::assistant, long_text, "a"), says(Role::assistant, long_text, "b", Retention::summarizable),
            says(Role::assistant, long_text, "b", Retention::summarizable), says(Role::user, "q")},
           {1'500, 1'000, ""});
  ASSERT_EQ(planned.ranges.size(), 1U);
  EXPECT_EQ(planned.ranges[0].agent, "b");
  EXPECT_EQ(planned.ranges[0].range.first, 2);
  EXPECT_EQ(planned.ranges[0].range.last, 3);
}

TEST_F(PruningTest, TheCurrentAgentsRowsGoLastAndTheOldestFirst) {
  const std::vector<ConversationMessage> thread = {says(Role::assistant, long_text, "mine"),
                                                   says(Role::assistant, long_text, "other"),
                                                   says(Role::assistant, long_text, "third"), says(Role::user, "q")};
  const auto some = plan(thread, {1'400, 1'200, "mine"});
  ASSERT_EQ(some.ranges.size(), 1U);
  EXPECT_EQ(some.ranges[0].agent, "other");
  EXPECT_EQ(plan(thread, {100, 0, "mine"}).ranges.size(), 3U);
}

TEST_F(PruningTest, SystemAndPinnedRowsAndTheCurrentTurnStay) {
  EXPECT_THAT(plan({says(Role::system, long_text), says(Role::user, long_text, "", Retention::pinned),
                    says(Role::user, long_text), says(Role::assistant, long_text, "a")},
                   {100, 0, ""})
                  .ranges,
              IsEmpty());
}

TEST_F(PruningTest, ACallWaitingForItsResultStays) {
  ConversationMessage open = calls("c", "a");
  open.content = long_text;
  EXPECT_THAT(plan({open, says(Role::user, "q")}, {100, 0, ""}).ranges, IsEmpty());
}

TEST_F(PruningTest, ACallThatNobodyAnswersAnyMoreGoes) {
  ConversationMessage open = calls("c", "a");
  open.content = long_text;
  const auto planned = plan({open, says(Role::assistant, "went on", "a"), says(Role::user, "q")}, {100, 0, ""});
  ASSERT_EQ(planned.ranges.size(), 1U);
  EXPECT_EQ(planned.ranges[0].range.first, 1);
}

TEST_F(PruningTest, AgentsWithTheSameIdsKeepTheirOwnResults) {
  const auto planned = plan({calls("c", "a"), calls("c", "b"), answers("c", long_text, "a"),
                             answers("c", long_text, "b"), says(Role::user, "q")},
                            {100, 0, ""});
  ASSERT_EQ(planned.ranges.size(), 2U);
  for (const auto& range : planned.ranges) {
    for (const auto& row : range.messages) EXPECT_EQ(row.agent, range.agent);
  }
}

TEST_F(PruningTest, OldSummariesAreSummarisedAgainWithWhatFollowedThem) {
  const auto planned = plan(
      {says(Role::user, "raw"), sums_up({1, 1}, long_text), says(Role::user, long_text), says(Role::user, "question")},
      {100, 0, ""});
  ASSERT_EQ(planned.ranges.size(), 1U);
  EXPECT_EQ(planned.ranges[0].range.first, 1);
  EXPECT_EQ(planned.ranges[0].range.last, 3);
  EXPECT_EQ(planned.ranges[0].text.find("raw"), std::string::npos) << "what is summarised already is not read again";
}

TEST_F(PruningTest, LongRunsAreSplitIntoLeaves) {
  std::vector<ConversationMessage> thread(80, says(Role::user, std::string(4'000, 'x')));
  thread.push_back(says(Role::user, "q"));
  const auto planned = plan(thread, {20'000, 12'000, ""});
  EXPECT_GE(planned.ranges.size(), 3U);
  for (const auto& range : planned.ranges) EXPECT_LE(range.tokens, 20'000);
}

/// What is left where every summary is as long as it may be.
std::int64_t left_of(const PrunePlan& plan, const TokenCounter& counter) {
  std::int64_t left = plan.tokens;
  for (const auto& range : plan.ranges) {
    left += counter.count_message(summary_row(range, "", counter)) + range.target_tokens - range.tokens;
  }
  return left;
}

/// A conversation of `turns` questions and answers with about `tokens` each.
std::vector<ConversationMessage> conversation(int turns, std::size_t tokens) {
  std::vector<ConversationMessage> thread;
  std::string text;
  while (text.size() < 4 * tokens) text += "some words ";
  for (int i = 0; i < turns; ++i) {
    thread.push_back(says(Role::user, text));
    thread.push_back(says(Role::assistant, text, "a"));
  }
  thread.push_back(says(Role::user, "the question"));
  return thread;
}

TEST_F(PruningTest, NoMoreIsSummarisedThanTheTargetWantsAndTheNewestStays) {
  for (const int turns : {60, 240, 1'000}) {
    const PruneLimits limits{10'000, 6'000, "a"};
    const auto planned = plan(conversation(turns, 200), limits);
    ASSERT_GT(planned.tokens, limits.budget_tokens);
    const std::int64_t left = left_of(planned, *counter_);
    EXPECT_LE(left, limits.target_tokens) << turns;
    EXPECT_GE(left, limits.budget_tokens * 45 / 100) << turns;
    EXPECT_LE(planned.ranges.size(), 40U) << turns;
    for (const auto& range : planned.ranges) EXPECT_LT(range.range.last, 2 * turns - 6) << "the newest turns stay";
  }
}

TEST_F(PruningTest, WhateverSummariesTakeNoMoreThanATenthOfTheBudgetIsLeftFree) {
  struct Case {
    int turns;
    std::size_t tokens;
  };
  for (const auto& [turns, tokens] : {Case{60, 200}, Case{500, 150}, Case{40, 1'500}, Case{20, 5'000}}) {
    for (const double target : {0.3, 0.6, 0.9}) {
      const PruneLimits limits{20'000, static_cast<std::int64_t>(20'000 * target), "a"};
      const auto planned = plan(conversation(turns, tokens), limits);
      ASSERT_FALSE(planned.ranges.empty());
      std::int64_t raw = planned.tokens;
      std::int64_t largest = 0;
      for (const auto& range : planned.ranges) raw -= range.tokens;
      for (const auto& range : planned.ranges) {
        for (const auto& row : range.messages) largest = std::max(largest, counter_->count_message(row));
      }
      const auto left = left_of(planned, *counter_);
      EXPECT_LE(left, limits.target_tokens) << turns << " " << target;
      if (3 * largest <= limits.target_tokens) {
        EXPECT_GE(left, limits.target_tokens * 8 / 10) << turns << " " << tokens << " " << target;
      }
      const std::int64_t rows_that_fit = limits.target_tokens - 2'000 > raw ? largest : 0;
      EXPECT_GE(raw + rows_that_fit, limits.target_tokens - 2'000) << turns << " " << tokens << " " << target;
      if (largest < 500) {
        EXPECT_GE(raw, limits.target_tokens - 2'000) << turns << " " << tokens << " " << target;
      }
    }
  }
}

TEST_F(PruningTest, AThreadOfLongRowsIsSummarisedInStretchesToo) {
  for (const std::size_t most : {1U, 7U, 40U}) {
    PruneLimits limits{128'000, 76'800, "a"};
    limits.max_ranges = most;
    const auto planned = plan(conversation(200, 12'000), limits);
    EXPECT_LE(planned.ranges.size(), most + 2) << "a stretch of each agent may end early";
    EXPECT_LE(left_of(planned, *counter_), limits.target_tokens);
  }
}

TEST_F(PruningTest, OldSummariesStayUntilTheyTakeTheirShare) {
  std::vector<ConversationMessage> thread(20, says(Role::user, "covered"));
  thread.push_back(sums_up({1, 20}, "short summary"));
  for (const auto& row : conversation(60, 200)) thread.push_back(row);
  const auto planned = plan(thread, {10'000, 6'000, "a"});
  ASSERT_FALSE(planned.ranges.empty());
  EXPECT_GT(planned.ranges[0].range.first, 20);
}

/// Random threads: several agents, groups that interleave, pins, summaries.
std::vector<ConversationMessage> random_thread(const std::vector<int>& dice) {
  std::vector<ConversationMessage> thread;
  std::vector<std::pair<std::string, std::string>> open;  // call id, agent
  for (const int die : dice) {
    const std::string agent(1, static_cast<char>('a' + (die / 7) % 3));
    const auto retention = die % 11 == 0  ? Retention::pinned
                           : die % 5 == 0 ? Retention::summarizable
                                          : Retention::normal;
    switch (die % 7) {
      case 0:
      case 1:
        open.emplace_back("c" + std::to_string(thread.size()), agent);
        thread.push_back(calls(open.back().first, agent, retention));
        break;
      case 2:
      case 3:
        if (open.empty()) break;
        thread.push_back(answers(open.front().first, std::string(300, 'r'), open.front().second, retention));
        open.erase(open.begin());
        break;
      case 4: thread.push_back(says(Role::system, "instructions", agent)); break;
      default: thread.push_back(says(die % 2 ? Role::user : Role::assistant, std::string(400, 't'), agent, retention));
    }
  }
  thread.push_back(says(Role::user, "question"));
  return thread;
}

TEST_F(PruningTest, NamesSurviveSummariesOfSummariesThatSayNothing) {
  const auto store = make_memory_conversation_store();
  std::vector<ConversationMessage> thread;
  for (int i = 0; i < 8; ++i) {
    thread.push_back(calls("c" + std::to_string(i), "a"));
    thread.push_back(
        answers("c" + std::to_string(i), "src/fees/late_fee_" + std::to_string(i) + ".cpp\n" + long_text + long_text));
  }
  thread.push_back(says(Role::user, "question"));
  ASSERT_TRUE(store->append("w", thread, {}, {}));
  for (int generation = 0; generation < 3; ++generation) {
    const auto rows = *load_all(*store, "w");
    const auto planned = plan_pruning(rows, {100, 0, "a", 1}, *counter_);
    ASSERT_FALSE(planned.ranges.empty()) << generation;
    std::vector<ConversationMessage> rows_to_add;
    std::string said;
    for (auto range : planned.ranges) {
      range.target_tokens = 600;
      rows_to_add.push_back(summary_row(range, "They worked on.", *counter_));
      said += text_of(rows_to_add.back());
    }
    EXPECT_THAT(said, HasSubstr("src/fees/late_fee_0.cpp")) << generation;
    EXPECT_THAT(said, HasSubstr("src/fees/late_fee_7.cpp")) << generation;
    rows_to_add.push_back(says(Role::assistant, long_text + long_text + long_text, "a"));
    rows_to_add.push_back(says(Role::user, "more"));
    ASSERT_TRUE(store->append("w", rows_to_add, {}, {}));
  }
}

RC_GTEST_PROP(PruningPropertyTest, NoCallIsPartedFromItsResultAndNothingFixedIsCovered, ()) {
  const auto dice = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10'000));
  const auto counter = make_approximate_token_counter();
  const auto store = make_memory_conversation_store();
  RC_ASSERT(store->append("w", random_thread(dice), {}, {}).has_value());
  for (int round = 0; round < 2; ++round) {
    const auto rows = *load_all(*store, "w");
    const auto planned = plan_pruning(rows, {200, 100, "a"}, *counter);
    std::vector<ConversationMessage> summaries;
    for (const auto& range : planned.ranges) summaries.push_back(summary_row(range, "short", *counter));
    if (!summaries.empty()) RC_ASSERT(store->append("w", summaries, {}, {}).has_value());
  }
  const auto rows = *load_all(*store, "w");
  const Coverage coverage(rows);
  for (const auto& row : rows) {
    const bool fixed = row.role == Role::system || row.retention == Retention::pinned;
    RC_ASSERT(!(fixed && coverage.covers(row)));
    if (row.role != Role::tool) continue;
    for (const auto& caller : rows) {
      if (caller.tool_calls.empty() || caller.tool_calls[0].id != row.tool_call_id) continue;
      RC_ASSERT(coverage.covers(caller) == coverage.covers(row));
    }
  }
}

class SummarizeRangesTest : public ::testing::Test {
 protected:
  static PruneRange range() {
    PruneRange made;
    made.range = {3, 17};
    made.agent = "planner";
    for (int i = 0; i < 60; ++i) made.text += "Sentence " + std::to_string(i) + " says that the audit goes on.\n";
    made.target_tokens = 64;
    return made;
  }
  std::string summarized(LlmClient* client) {
    return summarize_ranges({range()}, "audit", {client, "m", {}, "s"}, *counter_, {}).at(0);
  }
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(SummarizeRangesTest, AClientsSummaryIsUsedWhereItIsOfUse) {
  testing::ScriptedLlmClient client;
  client.then_reply("The audit goes on.");
  EXPECT_EQ(summarized(&client), "The audit goes on.");
  EXPECT_EQ(client.requests().at(0).scope, "s");
}

TEST_F(SummarizeRangesTest, NoMoreCallsAreMadeThanAllowed) {
  testing::ScriptedLlmClient client;
  client.then_reply("The audit goes on.");
  PruneRange longer = range();
  longer.tokens = 1'000;
  SummaryWriter writer{&client, "m", {}, "s"};
  writer.max_calls = 1;
  const auto texts = summarize_ranges({range(), longer, range()}, "audit", writer, *counter_, {});
  EXPECT_EQ(client.requests().size(), 1U);
  EXPECT_EQ(texts[1], "The audit goes on.");
  for (const std::size_t i : {0U, 2U}) EXPECT_THAT(texts[i], HasSubstr("says that the audit goes on"));
}

TEST_F(SummarizeRangesTest, ElseItIsAnExtract) {
  testing::ScriptedLlmClient failing;
  testing::ScriptedLlmClient inventing;
  inventing.then_reply("Invoice 4711 was paid twice.");
  for (LlmClient* client :
       {static_cast<LlmClient*>(nullptr), static_cast<LlmClient*>(&failing), static_cast<LlmClient*>(&inventing)}) {
    const auto text = summarized(client);
    EXPECT_THAT(text, HasSubstr("audit goes on"));
    EXPECT_EQ(text.find("4711"), std::string::npos);
    EXPECT_LE(counter_->count(text), 80);
  }
}

TEST_F(SummarizeRangesTest, ASummaryRowIsDataAndNamesWhatItCovers) {
  const auto row = summary_row(range(), "text", *counter_);
  EXPECT_EQ(row.role, Role::user);
  EXPECT_EQ(row.agent, "planner");
  EXPECT_EQ(row.summary_of->last, 17);
  EXPECT_EQ(text_of(row), "[Summary of messages 3 to 17 by planner]\ntext");
}

}  // namespace
}  // namespace ctxmgr::session
