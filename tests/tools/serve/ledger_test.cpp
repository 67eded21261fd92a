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
