#include "adapters/bpe/pair_memo.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

TEST(PairMemoTest, RemembersAnswersOfBothKinds) {
  PairMemo memo;
  memo.store(0, 0, false);
  memo.store(7, 1'000'000, true);
  EXPECT_EQ(memo.find(0, 0), false);
  EXPECT_EQ(memo.find(7, 1'000'000), true);
}

TEST(PairMemoTest, KnowsNothingOfOtherPairs) {
  PairMemo memo;
  EXPECT_EQ(memo.find(0, 0), std::nullopt);
  memo.store(1, 2, true);
  EXPECT_EQ(memo.find(2, 1), std::nullopt);
  EXPECT_EQ(memo.find(1, 3), std::nullopt);
}

TEST(PairMemoTest, ForgetsRatherThanGrows) {
  PairMemo memo;
  int known = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) memo.store(i, i, true);
  for (std::uint32_t i = 0; i < 100'000; ++i) known += memo.find(i, i).has_value() ? 1 : 0;
  EXPECT_GT(known, 1'000);
  EXPECT_LT(known, 50'000);
}

}  // namespace
}  // namespace ctxmgr::bpe
