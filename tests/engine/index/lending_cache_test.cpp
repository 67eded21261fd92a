#include "engine/index/lending_cache.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace ctxmgr::engine {
namespace {

class LendingCacheTest : public ::testing::Test {
 protected:
  using Number = std::unique_ptr<std::size_t>;

  void put(std::size_t number, std::size_t bytes = 10) {
    cache_.put(std::make_unique<std::size_t>(number), bytes, [](const Number& a, const Number& b) { return *a == *b; });
  }
  /// The largest number up to `most`; 0: none.
  std::size_t take(std::size_t most) {
    const auto found = cache_.take([&](const Number& number) { return *number <= most ? *number : 0; });
    return found ? **found : 0;
  }

  LendingCache<Number> cache_{30};
};

TEST_F(LendingCacheTest, GivesTheBestFitToOneCaller) {
  for (const std::size_t number : {2, 5, 3}) put(number);
  EXPECT_EQ(take(4), 3U);
  EXPECT_EQ(take(4), 2U);
  EXPECT_EQ(take(4), 0U);
  EXPECT_EQ(take(9), 5U);
}

TEST_F(LendingCacheTest, TheLeastRecentlyUsedGoesFirst) {
  for (const std::size_t number : {1, 2, 3}) put(number);
  put(take(1));
  put(4);
  EXPECT_EQ(take(2), 1U) << "2 went for 4";
  EXPECT_EQ(take(9), 4U);
  EXPECT_EQ(take(9), 3U);
}

TEST_F(LendingCacheTest, OfTheSameOneIsKept) {
  put(7, 20);
  put(7, 20);
  put(1);
  EXPECT_EQ(take(9), 7U);
  EXPECT_EQ(take(9), 1U);
  EXPECT_EQ(take(9), 0U);
}

TEST_F(LendingCacheTest, WhatIsLargerThanTheMemoryDrivesNothingOut) {
  put(1);
  put(2, 31);
  EXPECT_EQ(take(9), 1U);
  EXPECT_EQ(take(9), 0U);
}

}  // namespace
}  // namespace ctxmgr::engine
