#include "serve/ledger.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

view::Step step(const std::string& id, int artifacts = 0) {
  view::Step made;
  made.id = id;
  made.thread = "t";
  made.status = 200;
  made.took = std::chrono::milliseconds(200);
  made.receipt.input_tokens_used = 10;
  made.receipt.include_all_tokens = 25;
  made.receipt.artifacts_processed.resize(static_cast<std::size_t>(artifacts));
  return made;
}

TEST(LedgerTest, AddsUpWhatEnds) {
  Ledger ledger(1 << 20);
  ledger.began();
  ledger.began();
  ledger.ended(Api::openai, step("a"));
  auto totals = ledger.totals();
  EXPECT_EQ(totals.in_flight, 1);
  EXPECT_EQ(totals.input_tokens, 10);
  EXPECT_EQ(totals.tokens_saved, 15);
  EXPECT_EQ((totals.requests.at({Api::openai, 200})), 1);
  EXPECT_EQ(totals.durations[1], 1);  // Up to 0.3 s.
  EXPECT_EQ(ledger.newest_of("t")->id, "a");
  EXPECT_EQ(ledger.newest_of("other"), nullptr);
}

TEST(LedgerTest, SummariesBelongToTheRequestThatTheyWereMadeFor) {
  Ledger ledger(1 << 20);
  for (const char* id : {"a", "b"}) {
    ledger.began();
    ledger.ended(Api::openai, step(id));
  }
  const auto read_before = ledger.steps();
  for (const char* id : {"a", "a", "gone"}) ledger.summarized(id, {"m", {100, 0, 0, 10, 2}, 0.5});
  const auto steps = ledger.steps();
  EXPECT_EQ(steps[0]->summaries.usage.calls, 4);
  EXPECT_EQ(steps[0]->summaries.usage.total_tokens(), 220);
  EXPECT_EQ(steps[0]->summaries.usd, 1.0);
  EXPECT_FALSE(steps[1]->summaries.are_there());
  EXPECT_FALSE(read_before[0]->summaries.are_there()) << "a page that is being written does not change";
}

TEST(LedgerTest, KeepsTheNewestThatThereIsRoomFor) {
  Ledger ledger(100'000);
  for (int i = 0; i < 500; ++i) {
    ledger.began();
    ledger.ended(Api::openai, step(std::to_string(i), 20));
  }
  EXPECT_LT(ledger.steps().size(), 50U);
  EXPECT_GT(ledger.steps().size(), 2U);
  EXPECT_EQ(ledger.steps().back()->id, "499");
  ledger.began();
  ledger.ended(Api::openai, step("large", 5'000));
  ASSERT_EQ(ledger.steps().size(), 1U);
  EXPECT_EQ(ledger.totals().answers, 501);
}

}  // namespace
}  // namespace ctxpack::serve::test
