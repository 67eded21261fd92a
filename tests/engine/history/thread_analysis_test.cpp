#include "engine/history/thread_analysis.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::tool_call;
using testing::tool_result;

class ThreadAnalysisTest : public ::testing::Test {
 protected:
  Result<void> read() { return thread_.extend(history_, *counter_); }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  ThreadAnalysis thread_;
};

TEST_F(ThreadAnalysisTest, ACallAndItsResultsAreOneGroup) {
  auto two_calls = tool_call("a");
  two_calls.tool_calls.push_back({"b", "fetch", "{}"});
  history_ = {{Role::user, "go"}, two_calls, tool_result("b", "2"), tool_result("a", "1"), {Role::assistant, "done"}};
  ASSERT_TRUE(read());
  ASSERT_EQ(thread_.groups().size(), 3U);
  EXPECT_EQ(thread_.groups()[1].first, 1U);
  EXPECT_EQ(thread_.groups()[1].last, 4U);
  EXPECT_FALSE(thread_.groups()[1].pending);
  EXPECT_EQ(thread_.group_of(3), 1U);
}

TEST_F(ThreadAnalysisTest, AResultThatComesLaterJoinsItsCall) {
  history_ = {{Role::user, "go"}, tool_call("a")};
  ASSERT_TRUE(read());
  EXPECT_TRUE(thread_.groups()[1].pending);
  const auto waiting = thread_.fixed_tokens();
  history_.push_back(tool_result("a", "1"));
  ASSERT_TRUE(read());
  EXPECT_FALSE(thread_.groups()[1].pending);
  EXPECT_LT(thread_.fixed_tokens(), waiting);
  EXPECT_TRUE(thread_.fixed_groups().empty());
}

TEST_F(ThreadAnalysisTest, ReadingInPiecesIsReadingAtOnce) {
  for (int i = 0; i < 9; ++i) {
    history_.push_back({i % 3 == 0 ? Role::user : Role::assistant, "message " + std::to_string(i)});
    if (i % 4 == 0) history_.back().retention = Retention::pinned;
    ASSERT_TRUE(read());
  }
  ThreadAnalysis at_once;
  ASSERT_TRUE(at_once.extend(history_, *counter_));
  EXPECT_EQ(thread_.fingerprint(), at_once.fingerprint());
  EXPECT_EQ(thread_.fixed_tokens(), at_once.fixed_tokens());
  EXPECT_EQ(thread_.fixed_groups(), at_once.fixed_groups());
  EXPECT_EQ(thread_.free_tokens_before(8), at_once.free_tokens_before(8));
  EXPECT_EQ(thread_.user_messages(), at_once.user_messages());
}

ConversationMessage compaction(const std::string& sealed) {
  return {Role::assistant,
          std::vector<ContentPart>{
              {PartKind::other, {}, R"({"type":"compaction","encrypted_content":")" + sealed + R"("})"}}};
}

TEST_F(ThreadAnalysisTest, OfAServicesCompactionsTheNewestIsSentAndTheFormerAreNot) {
  history_ = {{Role::user, "go"}, compaction("one"), {Role::user, "on"}};
  ASSERT_TRUE(read());
  EXPECT_EQ(thread_.first_to_send(), 1U);
  EXPECT_EQ(thread_.fixed_groups(), std::vector<std::size_t>{1});
  history_.push_back(compaction("two, which is longer"));
  history_.push_back({Role::user, "and on"});
  ASSERT_TRUE(read());
  EXPECT_EQ(thread_.first_to_send(), 3U);
  EXPECT_EQ(thread_.fixed_groups(), std::vector<std::size_t>{3});
  ThreadAnalysis at_once;
  ASSERT_TRUE(at_once.extend(history_, *counter_));
  EXPECT_EQ(thread_.fixed_tokens(), at_once.fixed_tokens());
  EXPECT_EQ(thread_.fixed_groups(), at_once.fixed_groups());
  for (std::size_t group = 0; group < 5; ++group)
    EXPECT_EQ(thread_.free_tokens_before(group), at_once.free_tokens_before(group));
}

TEST_F(ThreadAnalysisTest, AResultWithoutItsCallIsInvalidAndNamed) {
  history_ = {{Role::user, "go"}, tool_call("a"), tool_result("b", "1")};
  const auto done = read();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(done.error().message.find("message 3"), std::string::npos);
}

TEST_F(ThreadAnalysisTest, WhatServicesRefuseIsRefusedWhenItIsRead) {
  history_ = {{Role::user, "go"}, tool_call("a"), tool_result("a", "1"), tool_call("a")};
  EXPECT_TRUE(read()) << "whether an id may come again is the service's matter";
  history_ = {{Role::user, "go"}, tool_call("a")};
  ThreadAnalysis thread;
  ASSERT_TRUE(thread.extend(history_, *counter_));
  history_.push_back({Role::user, "go on"});
  EXPECT_EQ(thread.extend(history_, *counter_).error().message, "message 2, call \"a\": it had no result");
}

TEST_F(ThreadAnalysisTest, AResultBelongsToTheCallBeforeIt) {
  history_ = {{Role::user, "go"}, tool_call("call_0", "search"), tool_result("call_0", "1"),
              {Role::user, "go"}, tool_call("call_0", "fetch"),  tool_result("call_0", "2")};
  EXPECT_EQ(call_answered_by(history_, 2)->name, "search");
  EXPECT_EQ(call_answered_by(history_, 0), nullptr);
  EXPECT_EQ(call_answered_by(history_, 5)->name, "fetch");
}

TEST_F(ThreadAnalysisTest, EachResultIsFoundByTheCallThatItAnswers) {
  auto two_calls = tool_call("a", "search");
  two_calls.tool_calls.push_back({"b", "fetch", "{}"});
  history_ = {{Role::user, "go"}, two_calls, tool_result("b", "2"), tool_result("a", "1"), {Role::user, "go"}};
  ASSERT_TRUE(read());
  EXPECT_FALSE(thread_.groups()[1].pending);
  const CallOptions call;
  const auto clock = make_system_clock();
  Pace pace(call, *clock);
  thread_.index_up_to(3, history_, pace);
  thread_.index_up_to(5, history_, pace);
  EXPECT_EQ(thread_.index().item(2)->call, hash_term("fetch({})"));
  EXPECT_EQ(thread_.index().item(3)->call, hash_term("search({})"));
  EXPECT_EQ(thread_.index().item(4)->call, 0U);
}

TEST_F(ThreadAnalysisTest, MessagesThatAreAlwaysSentAreNotSearched) {
  history_ = {{Role::system, "rules"}, {Role::user, "go"}};
  ASSERT_TRUE(read());
  EXPECT_EQ(indexed_text(thread_, history_, 0).text, "");
  EXPECT_EQ(indexed_text(thread_, history_, 1).text, "user: go");
}

}  // namespace
}  // namespace ctxmgr::engine
