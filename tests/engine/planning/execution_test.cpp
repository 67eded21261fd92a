#include "engine/planning/execution.hpp"

#include <atomic>
#include <thread>

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::saying;
using testing::words;

class ExecutionTest : public ::testing::Test {
 protected:
  const Artifact& document(const std::string& id, std::string text) {
    documents_.push_back(std::make_unique<Artifact>(make_document(id, std::move(text))));
    return *documents_.back();
  }
  void plan(const Artifact& artifact, ProcessingStrategy strategy, std::int64_t target) {
    ArtifactDecision decision{artifact.artifact_id, strategy};
    decision.target_tokens = target;
    decision.summarization_focus = decision.extraction_query = "filler";
    items_.push_back({&artifact, decision, counter_->count(artifact.content), std::nullopt});
  }
  Execution start(std::size_t max_calls = 10, std::int64_t window = 128'000) {
    return {items_, {retriever_, *counter_, cache_, "small", window, scope_, max_calls, flights_, {}}, 1};
  }
  /// Answers every call with so many of the text's own words; returns how many calls there were.
  static std::size_t answer(Execution& execution, std::size_t count) {
    std::size_t calls = 0;
    for (auto pending = execution.next_calls(); !pending.empty(); pending = execution.next_calls()) {
      calls += pending.size();
      for (const auto& call : pending) execution.reply(call.id, saying(words(count)));
    }
    return calls;
  }

  std::vector<std::unique_ptr<Artifact>> documents_;
  std::vector<ExecutionItem> items_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  Retriever retriever_;
  SummaryCache cache_;
  std::string scope_ = "session";
  SharedFlights flights_ = SharedFlights::none;
};

TEST_F(ExecutionTest, WhatNeedsNoModelIsDoneAtOnce) {
  plan(document("whole", "short text"), ProcessingStrategy::include_full, 10);
  plan(document("part", words(800)), ProcessingStrategy::rag_extract, 60);
  plan(document("out", "text"), ProcessingStrategy::exclude, 0);
  auto execution = start();
  EXPECT_TRUE(execution.done());
  const auto texts = execution.finish();
  EXPECT_EQ(texts[0].text, "short text");
  EXPECT_EQ(texts[1].strategy, ProcessingStrategy::rag_extract);
  EXPECT_LE(texts[1].tokens, 60);
  EXPECT_EQ(texts[2].strategy, ProcessingStrategy::exclude);
}

TEST_F(ExecutionTest, ASummaryIsToldOfTheCallAndMayNameWhatItAskedFor) {
  auto& result = *documents_.emplace_back(std::make_unique<Artifact>(make_document("r", words(800))));
  result.metadata = {{"tool_name", "weather"}, {"tool_arguments", R"({"city":"Trondheim"})"}};
  plan(result, ProcessingStrategy::summarize, 60);
  auto execution = start();
  const auto calls = execution.next_calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_TRUE(contains(text_of(calls[0].request.messages.back()), "weather(Trondheim)"));
  execution.reply(calls[0].id, saying("In Trondheim: filler0 filler1."));
  EXPECT_EQ(execution.finish()[0].text, "In Trondheim: filler0 filler1.");
}

TEST_F(ExecutionTest, AllSummariesAreAskedForAtOnceAndAnsweredInAnyOrder) {
  for (int i = 0; i < 3; ++i) plan(document("doc" + std::to_string(i), words(500)), ProcessingStrategy::summarize, 100);
  auto execution = start();
  const auto calls = execution.next_calls();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_TRUE(execution.next_calls().empty());
  execution.reply(calls[2].id, saying("third filler"));
  execution.reply(calls[0].id, saying("first filler"));
  execution.reply(calls[0].id, saying("again"));
  execution.reply(99, saying("unasked"));
  EXPECT_FALSE(execution.done());
  execution.reply(calls[1].id, saying("second filler"));
  EXPECT_TRUE(execution.done());
  const auto texts = execution.finish();
  EXPECT_EQ(texts[0].text, "first filler");
  EXPECT_EQ(texts[1].text, "second filler");
  EXPECT_EQ(texts[2].text, "third filler");
}

TEST_F(ExecutionTest, WhatHasNoSummaryInTimeIsExtracted) {
  plan(document("doc", words(500)), ProcessingStrategy::summarize, 100);
  auto execution = start();
  (void)execution.next_calls();
  const auto texts = execution.finish();
  EXPECT_FALSE(texts[0].text.empty());
  EXPECT_TRUE(contains(texts[0].reason, "no summary in time"));
}

TEST_F(ExecutionTest, SomeFailingSummariesDegradeToExtractsAndTheOthersStay) {
  for (int i = 0; i < 3; ++i) plan(document("doc" + std::to_string(i), words(500)), ProcessingStrategy::summarize, 100);
  auto execution = start();
  const auto calls = execution.next_calls();
  execution.reply(calls[0].id, saying("filler summary"));
  execution.reply(calls[1].id, fail(ErrorCode::unavailable, "service is down"));
  execution.reply(calls[2].id, saying("   "));
  const auto texts = execution.finish();
  EXPECT_EQ(texts[0].strategy, ProcessingStrategy::summarize);
  EXPECT_TRUE(contains(texts[1].reason, "service is down"));
  EXPECT_TRUE(contains(texts[2].reason, "empty"));
}

TEST_F(ExecutionTest, ARefusedSummaryIsNotPaidForAgain) {
  plan(document("a", words(800)), ProcessingStrategy::summarize, 60);
  auto first = start();
  const auto calls = first.next_calls();
  ASSERT_EQ(calls.size(), 1U);
  first.reply(calls[0].id, saying("It took 4711 ms."));
  EXPECT_EQ(first.finish()[0].strategy, ProcessingStrategy::rag_extract);

  auto second = start();
  EXPECT_TRUE(second.next_calls().empty());
  const auto texts = second.finish();
  EXPECT_EQ(texts[0].strategy, ProcessingStrategy::rag_extract);
  EXPECT_TRUE(contains(texts[0].reason, "4711")) << texts[0].reason;

  scope_ = "another";
  EXPECT_EQ(start().next_calls().size(), 1U);
}

TEST_F(ExecutionTest, ACallThatFailsIsAskedForAgain) {
  plan(document("a", words(800)), ProcessingStrategy::summarize, 60);
  auto first = start();
  first.reply(first.next_calls().at(0).id, fail(ErrorCode::unavailable, "down"));
  EXPECT_EQ(start().next_calls().size(), 1U);
}

TEST_F(ExecutionTest, CallsStopAtTheirLimit) {
  for (int i = 0; i < 4; ++i)
    plan(document("doc" + std::to_string(i), words(500 + i)), ProcessingStrategy::summarize, 100);
  auto execution = start(2);
  EXPECT_EQ(execution.next_calls().size(), 2U);
  EXPECT_TRUE(contains(execution.finish()[3].reason, "no model calls left"));
}

TEST_F(ExecutionTest, ACachedSummaryIsUsedWhereNoCallsAreAllowed) {
  plan(document("doc", words(500)), ProcessingStrategy::summarize, 100);
  auto first = start();
  EXPECT_EQ(answer(first, 10), 1U);
  auto second = start(0);
  EXPECT_TRUE(second.done());
  const auto texts = second.finish();
  EXPECT_TRUE(texts[0].cache_hit);
  EXPECT_EQ(second.cache_stats().hits, 1);
}

TEST_F(ExecutionTest, SummariesNeverCrossScopes) {
  plan(document("doc", words(500)), ProcessingStrategy::summarize, 100);
  auto first = start();
  EXPECT_EQ(answer(first, 10), 1U);
  scope_ = "another session";
  auto second = start();
  EXPECT_EQ(second.next_calls().size(), 1U);
}

TEST_F(ExecutionTest, ATextOverTheWindowIsSplitAndItsSummariesAreMerged) {
  plan(document("long", words(3'000)), ProcessingStrategy::summarize, 100);
  auto execution = start(20, 2'000);
  const auto leaves = execution.next_calls();
  ASSERT_GE(leaves.size(), 3U);
  ASSERT_LE(leaves.size(), 6U);  // Of one size, not ever smaller ones.
  for (const auto& leaf : leaves) EXPECT_LE(count_messages(*counter_, leaf.request.messages), 2'000);
  for (const auto& leaf : leaves) execution.reply(leaf.id, saying(words(40)));
  const auto merge = execution.next_calls();
  ASSERT_EQ(merge.size(), 1U);
  execution.reply(merge[0].id, saying("filler0 and filler1"));
  EXPECT_TRUE(execution.done());
  EXPECT_EQ(execution.finish()[0].text, "filler0 and filler1");
}

TEST_F(ExecutionTest, LeavesOfATextThatGrewAreStillCached) {
  plan(document("log", words(3'000)), ProcessingStrategy::summarize, 100);
  auto first = start(20, 2'000);
  const auto calls = answer(first, 40);
  items_.clear();
  plan(document("log", words(3'000) + words(300)), ProcessingStrategy::summarize, 100);
  auto second = start(20, 2'000);
  EXPECT_LE(second.next_calls().size(), 2U);
  EXPECT_GE(second.cache_stats().hits, static_cast<std::int64_t>(calls) - 3);
}

TEST_F(ExecutionTest, ACheckedSummaryTakesASecondCallAndIsUsedWhereThatSaysYes) {
  plan(document("a", words(800)), ProcessingStrategy::summarize, 60);
  plan(document("b", words(900)), ProcessingStrategy::summarize, 60);
  const auto checked = [this] {
    return Execution(items_, {retriever_, *counter_, cache_, "small", 128'000, scope_, 4, flights_, {}, {}, {}, true},
                     1);
  };
  auto execution = checked();
  const auto calls = execution.next_calls();
  ASSERT_EQ(calls.size(), 2U);
  for (const auto& call : calls) execution.reply(call.id, saying("filler0 comes before filler1."));
  EXPECT_FALSE(execution.done());
  const auto checks = execution.next_calls();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_TRUE(contains(text_of(checks[0].request.messages.back()), "filler0 comes before filler1."));
  EXPECT_TRUE(contains(text_of(checks[0].request.messages.back()), words(30)));
  execution.reply(checks[0].id, saying("Yes."));
  execution.reply(checks[1].id, saying("No: \"comes before\" is nowhere."));
  EXPECT_TRUE(execution.done());
  EXPECT_EQ(execution.usage().calls, 4);
  const auto texts = execution.finish();
  EXPECT_EQ(texts[0].text, "filler0 comes before filler1.");
  EXPECT_TRUE(contains(texts[1].reason, "comes before"));
  auto again = checked();
  EXPECT_TRUE(again.next_calls().empty()) << "both are remembered";
  auto unchecked = start();
  EXPECT_EQ(unchecked.next_calls().size(), 2U) << "what is checked has another name";
}

TEST_F(ExecutionTest, WhereChecksAreWantedCallsAreCountedTwice) {
  plan(document("a", words(800)), ProcessingStrategy::summarize, 60);
  Execution execution(items_, {retriever_, *counter_, cache_, "small", 128'000, scope_, 1, flights_, {}, {}, {}, true},
                      1);
  EXPECT_TRUE(execution.next_calls().empty());
  EXPECT_TRUE(contains(execution.finish()[0].reason, "no model calls left"));
}

TEST_F(ExecutionTest, LeavesNeverSplitACharacterAndLoseNothing) {
  std::string text;
  for (int i = 0; i < 3'000; ++i) text += "合同";
  plan(document("cjk", text), ProcessingStrategy::summarize, 100);
  auto execution = start(100, 1'000);
  std::size_t bytes = 0;
  for (const auto& call : execution.next_calls()) {
    const auto prompt = text_of(call.request.messages.back());
    const auto begin = prompt.find('\n') + 1;
    const auto leaf = prompt.substr(begin, prompt.find("\n</text-") - begin);
    EXPECT_EQ(leaf.size() % 3, 0U);
    bytes += leaf.size();
  }
  EXPECT_EQ(bytes, text.size());
}

class ExecutionThreadsTest : public ExecutionTest {};

TEST_F(ExecutionThreadsTest, ManyThatWantOneSummaryMakeItOnce) {
  plan(document("doc", words(500)), ProcessingStrategy::summarize, 100);
  flights_ = SharedFlights::join;
  std::atomic<std::size_t> calls{0};
  std::atomic<std::size_t> summaries{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      auto execution = start();
      while (!execution.done()) {
        const auto pending = execution.next_calls();
        if (pending.empty()) execution.wait_for_others();
        calls += pending.size();
        for (const auto& call : pending) execution.reply(call.id, saying("filler summary"));
      }
      summaries += execution.finish()[0].text == "filler summary";
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(summaries, 16U);
}

TEST_F(ExecutionThreadsTest, BuildsThatWaitForEachOthersPartsAllFinish) {
  plan(document("one", words(3'000)), ProcessingStrategy::summarize, 100);
  plan(document("two", words(2'900)), ProcessingStrategy::summarize, 100);
  flights_ = SharedFlights::join;
  std::atomic<std::size_t> finished{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      auto items = items_;
      if (i % 2 == 1) std::swap(items[0], items[1]);
      Execution execution(items, {retriever_, *counter_, cache_, "small", 2'000, scope_, 40, flights_, {}}, 1);
      while (!execution.done()) {
        const auto pending = execution.next_calls();
        if (pending.empty()) execution.wait_for_others();
        for (const auto& call : pending) execution.reply(call.id, saying(words(20)));
      }
      ++finished;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(finished, 8U);
}

}  // namespace
}  // namespace ctxmgr::engine
