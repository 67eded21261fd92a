#include "engine/summaries/fidelity.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace ctxmgr::engine {
namespace {

/// Pairs by somebody who did not know the rules: every one a source with a summary that is true, or with one false word.
TEST(FidelityTest, AcceptsTrueSummariesAndRefusesInventedOnesInFifteenLanguages) {
  std::ifstream file(CTXMGR_TEST_SUMMARY_PAIRS);
  const auto pairs = nlohmann::json::parse(file);
  int accepted = 0, refused = 0;
  for (const auto& pair : pairs["correct"])
    accepted += invented(pair["summary"].get<std::string>(), pair["source"].get<std::string>()).empty();
  for (const auto& pair : pairs["invented"])
    refused += !invented(pair["summary"].get<std::string>(), pair["source"].get<std::string>()).empty();
  EXPECT_EQ(pairs["correct"].size(), 147U);
  EXPECT_GE(accepted, 146);
  EXPECT_GE(refused, 189) << "the rest swap what belongs to whom, or replace a name that has no capital of its own";
}

TEST(FidelityTest, TheSameFigureWrittenInAnotherWayIsNotInvented) {
  const std::string source =
      "The job ran on 2026-03-12 at 14:05:33, moved 3.5M rows (40% of them twice) in 90 s and wrote 1,312 errors to "
      "src/net/retry.cpp and PostgreSQL, 12.50 euros each. Version 4.2.1 of libfoo-core3 helped the third team.";
  for (const char* summary :
       {"On 12 March 2026 3,5 million rows were moved.", "40 percent of them twice, at 14:05.", "It took 90 seconds.",
        "1312 errors in retry.cpp.", "1 312 errors, €12,5 each.", "See postgresql or src/net.",
        "1. libfoo-core3 4.2.1 helped team 3.\n2. No more", "**Key Findings:**\nrows moved", "In March 2026, 90s."})
    EXPECT_EQ(invented(summary, source), "") << summary;
}

TEST(FidelityTest, TheOffendingWordIsNamed) {
  const std::string source = "On 2026-03-12 Amara moved 3.5 million rows in 90 ms from src/net/retry.cpp to db-03.";
  EXPECT_EQ(invented("It was 13 March 2026.", source), "13");
  EXPECT_EQ(invented("It took 90 s.", source), "90 s");
  EXPECT_EQ(invented("It moved 3.6M rows.", source), "3.6m");
  EXPECT_EQ(invented("It moved 3.5 billion rows.", source), "3.5 billion");
  EXPECT_EQ(invented("It took seven tries.", source), "seven");
  EXPECT_EQ(invented("It went to db-08.", source), "db-08");
  EXPECT_EQ(invented("It calls retryFaster().", source), "retryFaster");
  EXPECT_EQ(invented("It was done by Priya.", source), "Priya");
  EXPECT_EQ(invented("See src/net/other.cpp.", source), "src/net/other.cpp");
}

TEST(FidelityTest, ANumberThatTheReaderWouldHaveToWorkOutIsInvented) {
  const std::string source = "It moved 3.5M rows in 90 s, 0.4 of them twice, with twenty-four workers.";
  for (const char* summary : {"It moved 3,500,000 rows.", "It took 1.5 minutes.", "40% of them twice.", "24 workers."})
    EXPECT_NE(invented(summary, source), "") << summary;
}

TEST(FidelityTest, AnotherCurrencyIsNoticedOnEitherSideOfTheFigure) {
  const std::string source = "The order of 4 May came to USD 3.5 million, shipping was 1,200 USD.";
  EXPECT_EQ(invented("The order of 4 May came to $3.5M.", source), "");
  EXPECT_EQ(invented("Shipping was 1,200 dollars.", source), "");
  EXPECT_NE(invented("The order of 4 May came to EUR 3.5 million.", source), "");
  EXPECT_NE(invented("The order of 4 May came to €3.5 million.", source), "");
  EXPECT_NE(invented("Shipping was 1,200 EUR.", source), "");
}

TEST(FidelityTest, AnyBytesAreRead) {
  for (const std::string text : {"\xFF\xFE 12", "", "....", "1-2-3-4-5-6-7", "12:", "1e999", "9999999999999999999999"})
    EXPECT_EQ(invented(text, text), "") << text;
}

TEST(FidelityTest, AnEmptySummaryOrSourceIsNoFault) {
  EXPECT_EQ(invented("", "12"), "");
  EXPECT_EQ(invented("nothing was said", ""), "");
  EXPECT_EQ(invented("12 files", ""), "12");
}

}  // namespace
}  // namespace ctxmgr::engine
