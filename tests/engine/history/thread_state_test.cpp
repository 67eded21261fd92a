#include "engine/history/thread_state.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {
namespace {

PreviousBuild memory() {
  PreviousBuild memory;
  memory.messages = 12;
  memory.history = {1, 2};
  memory.max_input = 4'000;
  memory.cut = 3;
  memory.compacted_at = 11;
  memory.head = {3'000, 2'000, 600};
  memory.evidence = {{9, 1, {{2, {{5, 10}, {20, 4}}, {3, NewerMessage{7, true}}}, {4, {{0, 7}}, {}}}},
                     {11, 0, {{1, {{3, 3}}, {}}}}};
  memory.extracts = {{8, 200}, {9, 300}};
  memory.question = {3, 4};
  memory.block_tokens = 500;
  memory.sent = {1, {7, 0x3FFFF, 64}};
  memory.warned_percent = 75;
  memory.told_percent = 50;
  return memory;
}

TEST(ThreadStateTest, ComesBackAsItWas) {
  auto written = memory();
  written.plan = ArtifactPlan{{{"doc", ProcessingStrategy::summarize, 1, "why", "focus"}}, "reasoning"};
  const auto read = decode(encode(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(encode(*read), encode(written));
  EXPECT_EQ(read->cut, 3U);
  EXPECT_EQ(read->extracts.at(9), 300);
  ASSERT_EQ(read->evidence.size(), 2U);
  EXPECT_EQ(read->evidence[0].pieces[0].ranges[1].offset, 20U);
  EXPECT_EQ(read->evidence[0].pieces[0].mark.times, 3U);
  EXPECT_EQ(read->evidence[0].pieces[0].mark.newer->message, 7U);
  EXPECT_TRUE(read->evidence[0].pieces[0].mark.newer->changed);
  EXPECT_EQ(read->evidence[1].question, 11U);
  EXPECT_EQ(read->head.notes, 600);
  EXPECT_EQ(read->told_percent, 50);
  EXPECT_EQ(read->plan->artifacts[0].summarization_focus, "focus");
}

TEST(ThreadStateTest, IsNeverLongerThanItsBound) {
  auto written = memory();
  written.plan = ArtifactPlan{{{"a", ProcessingStrategy::summarize, 1, "", std::string(20'000, 'x')}}, {}};
  for (std::size_t i = 0; i < 1'000; ++i) written.extracts[1'000'000'000 + i] = 1'000'000;
  const auto text = encode(written);
  EXPECT_LE(text.size(), 4'096U);
  const auto read = decode(text);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->plan);
  EXPECT_EQ(read->extracts.count(1'000'000'999), 1U);  // The newest are kept.
}

TEST(ThreadStateTest, APlanOfManyArtifactsIsKeptWithoutItsReasons) {
  auto written = memory();
  ArtifactPlan plan;
  for (int i = 0; i < 60; ++i) {
    ArtifactDecision decision{"doc" + std::to_string(i), ProcessingStrategy::rag_extract, i + 1, "since it says more"};
    decision.extraction_query = "query";
    decision.target_tokens = 7;
    plan.artifacts.push_back(decision);
  }
  written.plan = plan;
  const auto text = encode(written);
  EXPECT_LE(text.size(), 4'096U);
  const auto read = decode(text);
  ASSERT_TRUE(read && read->plan);
  ASSERT_EQ(read->plan->artifacts.size(), 60U);
  EXPECT_EQ(read->plan->artifacts[59].artifact_id, "doc59");
  EXPECT_EQ(read->plan->artifacts[59].strategy, ProcessingStrategy::rag_extract);
  EXPECT_EQ(read->plan->artifacts[59].priority, 60);
  EXPECT_EQ(read->plan->artifacts[59].extraction_query, "query");
  EXPECT_EQ(read->plan->artifacts[59].target_tokens, 7);
  EXPECT_EQ(encode(*read), text);
  for (const auto* damaged : {"\n[7]", "\n[[1,2,3,4,5,6]]", "\n[[\"d\",9,1,1,\"\",\"\"]]", "\n["})
    EXPECT_FALSE(decode(encode(memory()) + damaged)) << damaged;
}

TEST(ThreadStateTest, APlanOfLongIdsIsKeptBesideTheState) {
  auto written = memory();
  ArtifactPlan plan;
  for (int i = 0; i < 120; ++i) {
    ArtifactDecision decision{std::string(90, 'x') + std::to_string(i), ProcessingStrategy::rag_extract, i + 1, "why"};
    decision.extraction_query = "what the clause on late deliveries says";
    plan.artifacts.push_back(decision);
  }
  written.plan = plan;
  EXPECT_TRUE(has_room_for(plan));
  const auto text = encode(written);
  EXPECT_LE(text.size(), 4'096U + 1 + 16'384U);
  const auto read = decode(text);
  ASSERT_TRUE(read && read->plan);
  EXPECT_EQ(read->plan->artifacts[119].artifact_id, mark_of_id(plan.artifacts[119].artifact_id));
  EXPECT_EQ(read->plan->artifacts[119].extraction_query, plan.artifacts[119].extraction_query);
  plan.artifacts[0].extraction_query = std::string(20'000, 'q');
  EXPECT_FALSE(has_room_for(plan));
}

std::vector<ConversationMessage> numbered(std::size_t count) {
  std::vector<ConversationMessage> messages;
  for (std::size_t i = 0; i < count; ++i) messages.push_back({Role::user, "message " + std::to_string(i)});
  return messages;
}

TEST(ThreadStateTest, WhatWasSentIsFoundAgainMessageByMessage) {
  const auto sent = numbered(40);
  auto written = memory();
  written.sent = marks_of(sent);
  const auto read = decode(encode(written));
  ASSERT_TRUE(read);
  for (std::size_t same = 0; same <= sent.size(); ++same) {
    auto now = numbered(50);
    if (same < now.size()) now[same].content = "another";
    EXPECT_EQ(messages_kept(read->sent, marks_of(now)), std::min(same, sent.size()));
    now.resize(same);
    EXPECT_EQ(messages_kept(read->sent, marks_of(now)), same);
  }
}

TEST(ThreadStateTest, OfVeryManyMessagesSomeMarksAreKept) {
  const auto sent = numbered(20'000);
  auto written = memory();
  written.sent = marks_of(sent);
  const auto text = encode(written);
  EXPECT_LE(text.size(), 4'096U);
  const auto read = decode(text);
  ASSERT_TRUE(read);
  const auto kept = messages_kept(read->sent, marks_of(sent));
  EXPECT_GT(kept + read->sent.stride, sent.size());
  EXPECT_LE(kept, sent.size());
}

TEST(ThreadStateTest, AnythingElseIsNotOne) {
  const auto good = encode(memory());
  for (const std::string& text : {std::string(), std::string("{}"), good.substr(0, good.size() / 2),
                                  good + "\nnot a plan", good + " 7", "x" + good, std::string(5'000, ' ')})
    EXPECT_FALSE(decode(text)) << text.substr(0, 40);
}

TEST(ThreadStateTest, AbsurdFiguresAreRefused) {
  auto written = memory();
  written.block_tokens = INT64_MAX;
  EXPECT_FALSE(decode(encode(written)));
}

/// Question, call, result, answer, question.
ThreadAnalysis thread_of_five() {
  ConversationMessage call{Role::assistant};
  call.tool_calls.push_back({"a", "search", "{}"});
  ConversationMessage result{Role::tool, "found"};
  result.tool_call_id = "a";
  ThreadAnalysis thread;
  EXPECT_TRUE(thread.extend({{Role::user, "one"}, call, result, {Role::assistant, "two"}, {Role::user, "three"}},
                            *make_approximate_token_counter()));
  return thread;
}

PreviousBuild memory_of(const ThreadAnalysis& thread) {
  PreviousBuild memory;
  memory.messages = thread.size();
  memory.history = thread.fingerprint();
  memory.max_input = 1'000;
  memory.cut = 1;
  memory.compacted_at = 5;
  memory.head.room = 900;
  memory.evidence = {{4, 0, {{0, {{6, 3}}}}}};
  memory.extracts = {{2, 40}};
  memory.hinted_by = 5;
  return memory;
}

TEST(ThreadStateTest, BelongsToTheThreadThatItWasWrittenFor) {
  const auto thread = thread_of_five();
  EXPECT_TRUE(belongs_to(memory_of(thread), thread));
  auto shorter = memory_of(thread);
  shorter.messages = 3;
  shorter.history = thread.fingerprint_at(3);
  shorter.cut = shorter.hinted_by = shorter.compacted_at = 3;
  shorter.evidence[0].question = 1;
  EXPECT_TRUE(belongs_to(shorter, thread));
  shorter.history = thread.fingerprint_at(2);
  EXPECT_FALSE(belongs_to(shorter, thread));
}

TEST(ThreadStateTest, AfterAChangeOfTheHistoryWhatWasSpentAndSentIsLeft) {
  auto before = memory();
  before.planning_tokens = 700;
  before.planning_nano_usd = 90;
  before.asked = {9, 9};
  before.asked_tokens = 50;
  const auto left = of_changed_history(before);
  ThreadAnalysis any_thread;
  EXPECT_TRUE(belongs_to(left, any_thread));
  EXPECT_EQ(left.planning_tokens, 700);
  EXPECT_EQ(left.planning_nano_usd, 90);
  EXPECT_EQ(left.asked_tokens, 50);
  EXPECT_EQ(left.sent.marks, before.sent.marks);
  EXPECT_EQ(left.warned_percent, 75);
  EXPECT_EQ(left.cut, 0U);
  EXPECT_TRUE(left.evidence.empty());
  EXPECT_TRUE(left.extracts.empty());
  EXPECT_EQ(left.max_input, 0) << "of no budget: nothing is laid out by it";
}

TEST(ThreadStateTest, EachFieldIsHeldAgainstTheHistory) {
  const auto thread = thread_of_five();
  const auto refused = [&](auto change) {
    auto changed = memory_of(thread);
    change(changed);
    return !belongs_to(changed, thread);
  };
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.messages = 6; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.cut = 6; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.cut = 2; })) << "between a call and its result";
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.cut = SIZE_MAX; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.evidence[0].question = 6; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.hinted_by = 6; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.extracts[5] = 40; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.extracts[1] = 40; })) << "a call is not extracted";
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.extracts[2] = 0; }));
}

TEST(ThreadStateTest, WhatCannotHaveBeenSentIsRefused) {
  const auto refused = [](auto change) {
    auto changed = memory();
    change(changed);
    return !decode(encode(changed));
  };
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.block_tokens = 4'001; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.warned_percent = 101; }));
  EXPECT_TRUE(refused([](PreviousBuild& m) { m.told_percent = 101; }));
}

}  // namespace
}  // namespace ctxmgr::engine
