#include "adapters/bpe/pair_table.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

TEST(PairTableTest, FindsWhatWasAddedAndNothingElse) {
  PairTable table(1'000);
  for (std::uint32_t i = 0; i < 1'000; ++i) table.add(i, i * 7 % 1'000, 256 + i);
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    EXPECT_EQ(table.find(i, i * 7 % 1'000), 256 + i);
    EXPECT_EQ(table.find(i, i * 7 % 1'000 + 1'000), PairTable::none);
  }
}

TEST(PairTableTest, TakesTheLargestTokens) {
  PairTable table(1);
  table.add(0xFFFFE, 0xFFFFD, 0xFFFFF);
  EXPECT_EQ(table.find(0xFFFFE, 0xFFFFD), 0xFFFFFU);
  EXPECT_EQ(table.find(0xFFFFD, 0xFFFFE), PairTable::none);
}

TEST(PairTableTest, IsEmptyAtFirst) { EXPECT_EQ(PairTable().find(1, 2), PairTable::none); }

}  // namespace
}  // namespace ctxmgr::bpe
