#include "engine/planning/execution.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::saying;
using testing::words;

class ExecutionSegmentsTest : public ::testing::Test {
 protected:
  /// The first lines of a conversation, as a plan has it summarised about something.
  void plan_lines(int lines, std::int64_t target, const std::string& focus) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "user: line " + std::to_string(i) + " " + words(8) + "\n";
    older_ = make_document("history_1_to_" + std::to_string(lines), std::move(text));
    decision_ = {older_.artifact_id, ProcessingStrategy::summarize};
    decision_.target_tokens = target;
    decision_.summarization_focus = focus;
  }
  Execution start() {
    const ExecutionItem item{&older_, decision_, counter_->count(older_.content), std::nullopt, 2'000};
    return {{item}, {retriever_, *counter_, cache_, "small", 128'000, "session", 10, SharedFlights::none, {}}, 1};
  }
  /// Answers every call with so many of the text's own words; returns how many calls there were.
  static std::size_t answer(Execution& execution, std::size_t count) {
    const auto calls = execution.next_calls();
    for (const auto& call : calls) execution.reply(call.id, saying(words(count)));
    return calls.size();
  }

  Artifact older_;
  ArtifactDecision decision_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  Retriever retriever_;
  SummaryCache cache_;
};

TEST_F(ExecutionSegmentsTest, OldTurnsAreSummarisedOnceWhateverIsAskedLater) {
  plan_lines(250, 2'000, "zebras");
  auto first = start();
  const auto calls = answer(first, 20);
  EXPECT_GE(calls, 2U);
  const auto text = first.finish()[0];
  EXPECT_EQ(text.strategy, ProcessingStrategy::summarize);
  EXPECT_LE(text.tokens, 2'000);
  plan_lines(252, 1'900, "okapis");
  auto second = start();
  EXPECT_EQ(answer(second, 20), 0U);
  EXPECT_EQ(second.finish()[0].strategy, ProcessingStrategy::summarize);
}

TEST_F(ExecutionSegmentsTest, TheNewestStayWhereThereIsNoRoomForAllAndOthersAreNotPaidFor) {
  plan_lines(400, 600, "zebras");
  auto execution = start();
  const auto calls = execution.next_calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_FALSE(contains(text_of(calls[0].request.messages.back()), "line 0 "));
  execution.reply(calls[0].id, saying("filler0 stands first."));
  execution.reply(calls[1].id, saying("filler1 stands last."));
  const auto text = execution.finish()[0];
  EXPECT_LE(text.tokens, 600);
  EXPECT_LT(text.text.find("filler0 stands first."), text.text.find("filler1 stands last."));
  EXPECT_GT(text.text.rfind("user: line "), text.text.find("filler1 stands last.")) << "what still grows is extracted";
}

TEST_F(ExecutionSegmentsTest, WhatHasNoSummaryIsExtractedWhereItStands) {
  plan_lines(400, 2'000, "zebras");
  auto execution = start();
  const auto calls = execution.next_calls();
  ASSERT_GE(calls.size(), 2U);
  execution.reply(calls[0].id, saying("filler0 stands first."));
  execution.reply(calls[1].id, saying("It took 4711 ms."));
  for (std::size_t i = 2; i < calls.size(); ++i) execution.reply(calls[i].id, saying("filler1."));
  const auto text = execution.finish()[0];
  EXPECT_EQ(text.strategy, ProcessingStrategy::summarize);
  EXPECT_TRUE(contains(text.text, "filler0 stands first."));
  EXPECT_FALSE(contains(text.text, "4711"));
  EXPECT_TRUE(contains(text.reason, "4711"));
  auto again = start();
  EXPECT_EQ(answer(again, 20), 0U);  // Neither is a refused one paid for again.
}

}  // namespace
}  // namespace ctxmgr::engine
