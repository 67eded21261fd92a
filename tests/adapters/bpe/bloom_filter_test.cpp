#include "adapters/bpe/bloom_filter.hpp"

#include <gtest/gtest.h>

#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {
namespace {

TEST(BloomFilterTest, HasWhatWasAddedAndLittleElse) {
  constexpr std::uint64_t entries = 10'000;
  BloomFilter filter(entries);
  for (std::uint64_t i = 0; i < entries; ++i) filter.add(mix(i * 0xD6E8FEB86659FD93ULL));
  std::size_t in_vain = 0;
  for (std::uint64_t i = 0; i < 2 * entries; ++i) {
    const bool contained = filter.may_contain(mix(i * 0xD6E8FEB86659FD93ULL));
    if (i < entries) {
      EXPECT_TRUE(contained) << i;
    }
    if (i >= entries && contained) ++in_vain;
  }
  EXPECT_LT(in_vain, entries / 10);
}

TEST(BloomFilterTest, AnEmptyOneHasNothing) { EXPECT_FALSE(BloomFilter().may_contain(mix(1))); }

}  // namespace
}  // namespace ctxmgr::bpe
