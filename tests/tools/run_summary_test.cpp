#include "run_summary.hpp"

#include <gtest/gtest.h>

namespace ctxpack::test {
namespace {

view::Step step_of(int status, std::int64_t used, std::int64_t everything) {
  view::Step step;
  step.thread = "t";
  step.status = status;
  step.receipt.messages_limit = 8'000;
  step.receipt.input_tokens_used = used;
  step.receipt.include_all_tokens = everything;
  step.receipt.messages_included = 3;
  step.receipt.messages_excluded = used < everything ? 2 : 0;
  step.cost_usd = static_cast<double>(used) / 1'000;
  step.everything_usd = static_cast<double>(everything) / 1'000;
  return step;
}

std::string plain(std::string text) {
  for (const std::string blank : {"\u00a0", "\u202f"}) {
    for (auto at = text.find(blank); at != std::string::npos; at = text.find(blank))
      text.replace(at, blank.size(), " ");
  }
  return text;
}

TEST(RunSummaryTest, ItSaysWhatWasSavedLostAndPaid) {
  serve::Ledger first(1 << 20);
  serve::Ledger second(1 << 20);
  for (auto* const ledger : {&first, &second}) {
    ledger->began();
    ledger->ended(serve::Api::openai, step_of(200, 1'000, 4'000));
  }
  second.began();
  second.ended(serve::Api::openai, step_of(502, 1'000, 2'000));
  const auto text = plain(summary_of({&first, &second}));
  EXPECT_NE(text.find("3 requests in 2 conversations: 3 000 of 10 000 tokens sent."), std::string::npos) << text;
  EXPECT_NE(text.find("Saved $7.000 of $10.000 for input (70.0 %)."), std::string::npos) << text;
  EXPECT_NE(text.find("Left out of the last requests: 4 of 10 messages"), std::string::npos) << text;
  EXPECT_NE(text.find("1 request failed."), std::string::npos) << text;
}

TEST(RunSummaryTest, WhatWasNotUsedOrNotChangedIsSaidPlainly) {
  serve::Ledger ledger(1 << 20);
  EXPECT_NE(summary_of({&ledger}).find("sent no request through the proxy"), std::string::npos);
  ledger.began();
  ledger.ended(serve::Api::openai, step_of(200, 1'000, 1'000));
  const auto text = plain(summary_of({&ledger}));
  EXPECT_NE(text.find("Nothing was left out."), std::string::npos) << text;
  EXPECT_NE(text.find("Nothing saved: the input cost $1.000."), std::string::npos) << text;
}

}  // namespace
}  // namespace ctxpack::test
