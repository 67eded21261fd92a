#include "adapters/bpe/merges.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

TEST(MergesTest, GiveBackWhatWasPutIn) {
  for (const std::size_t count : {1U, 100U, 1'000U, 70'000U}) {
    std::vector<Merge> merges;
    for (std::size_t i = 0; i < count; ++i) {
      merges.push_back({static_cast<Rank>(i * 7'919 % (i + 256)), static_cast<Rank>(i + 255)});
    }
    const Merges packed(merges);
    ASSERT_EQ(packed.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(packed[i].left, merges[i].left);
      EXPECT_EQ(packed[i].right, merges[i].right);
    }
  }
}

TEST(MergesTest, ReadRanksFromTheLowestBitOn) {
  const std::uint64_t words[] = {0x0807'0605'0403'0201, 0};
  const Merges merges(words, 12, 2);
  EXPECT_EQ(merges[0].left, 0x201U);
  EXPECT_EQ(merges[0].right, 0x030U);
  EXPECT_EQ(merges[1].left, 0x504U);
}

TEST(MergesTest, MayBeNone) { EXPECT_EQ(Merges(std::vector<Merge>()).size(), 0U); }

}  // namespace
}  // namespace ctxmgr::bpe
