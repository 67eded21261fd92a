#include "adapters/bpe/run_tokens.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::bpe {
namespace {

TEST(RunTokensTest, ARunIsOfBlanksOrOfOneByte) {
  for (const char* const run : {" ", " \t\r\n", "=====", "\xC2\xA0\xE3\x80\x80 ", "aa"})
    EXPECT_TRUE(RunTokens::is_run(run)) << run;
  for (const char* const other : {"", "ab", " x", "==\n", "\xC3\xA9"}) EXPECT_FALSE(RunTokens::is_run(other)) << other;
}

TEST(RunTokensTest, FindsTheLongestTokenAndThenShorterOnes) {
  RunTokens runs;
  runs.add(" ", 1);
  runs.add("    ", 2);
  runs.add("  ", 3);
  runs.add(" \n", 4);
  runs.finish();
  const auto four = runs.longest("      ");
  EXPECT_EQ(runs.token(four), 2U);
  EXPECT_EQ(runs.bytes(four), 4U);
  const auto two = runs.shorter(four);
  EXPECT_EQ(runs.token(two), 3U) << "three blanks are no token";
  EXPECT_EQ(runs.token(runs.shorter(two)), 1U);
  EXPECT_EQ(runs.shorter(runs.shorter(two)), RunTokens::none);
  EXPECT_EQ(runs.token(runs.longest(" \n ")), 4U);
  EXPECT_EQ(runs.token(runs.longest("  \n")), 3U);
  EXPECT_EQ(runs.token(runs.longest(" ")), 1U);
  EXPECT_EQ(runs.longest("\t"), RunTokens::none);
  EXPECT_EQ(runs.longest(""), RunTokens::none);
}

}  // namespace
}  // namespace ctxmgr::bpe
