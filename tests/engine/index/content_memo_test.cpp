#include "engine/index/content_memo.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

Fingerprint key(std::uint64_t number) { return {number, number}; }

TEST(ContentMemoTest, GivesWhatWasKeptUnderItsKey) {
  ContentMemo<int> memo(100);
  EXPECT_EQ(memo.find(key(1)), nullptr);
  memo.insert(key(1), std::make_shared<const int>(7), 10);
  ASSERT_NE(memo.find(key(1)), nullptr);
  EXPECT_EQ(*memo.find(key(1)), 7);
  EXPECT_EQ(memo.bytes(), 10U);
}

TEST(ContentMemoTest, WhatIsKnownStays) {
  ContentMemo<int> memo(100);
  memo.insert(key(1), std::make_shared<const int>(7), 10);
  memo.insert(key(1), std::make_shared<const int>(8), 20);
  EXPECT_EQ(*memo.find(key(1)), 7);
  EXPECT_EQ(memo.bytes(), 10U);
}

TEST(ContentMemoTest, TheLeastRecentlyUsedGoOnceItIsFull) {
  ContentMemo<int> memo(100);
  for (std::uint64_t i = 0; i < 4; ++i) memo.insert(key(i), std::make_shared<const int>(1), 25);
  static_cast<void>(memo.find(key(0)));
  memo.insert(key(4), std::make_shared<const int>(1), 25);
  EXPECT_NE(memo.find(key(0)), nullptr);
  EXPECT_EQ(memo.find(key(1)), nullptr);
  EXPECT_EQ(memo.find(key(2)), nullptr);
  EXPECT_NE(memo.find(key(4)), nullptr);
  EXPECT_EQ(memo.bytes(), 75U);
}

TEST(ContentMemoTest, WhatIsLargerThanTheMemoryIsNotKeptAndDrivesNothingOut) {
  ContentMemo<int> memo(100);
  memo.insert(key(2), std::make_shared<const int>(7), 90);
  memo.insert(key(1), std::make_shared<const int>(7), 101);
  EXPECT_EQ(memo.find(key(1)), nullptr);
  EXPECT_NE(memo.find(key(2)), nullptr);
  EXPECT_EQ(memo.bytes(), 90U);
}

}  // namespace
}  // namespace ctxmgr::engine
