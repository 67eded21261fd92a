#include "core/node_pool.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <unordered_map>

namespace ctxmgr {
namespace {

TEST(NodePoolTest, ContainersKeepWhatTheyHoldWhileNodesComeAndGo) {
  NodePool pool;
  using Allocator = PoolAllocator<std::pair<const int, std::string>>;
  std::unordered_map<int, std::string, std::hash<int>, std::equal_to<int>, Allocator> pooled(&pool);
  std::map<int, std::string> plain;
  for (int i = 0; i < 5'000; ++i) {
    const auto text = std::to_string(i * i) + " is long enough for memory of its own";
    pooled[i] = plain[i] = text;
    if (i % 3 == 0) {
      pooled.erase(i / 2);
      plain.erase(i / 2);
    }
  }
  ASSERT_EQ(pooled.size(), plain.size());
  for (const auto& [key, text] : plain) EXPECT_EQ(pooled.at(key), text);
}

TEST(NodePoolTest, UsesANodeAgain) {
  NodePool pool;
  void* const first = pool.take(24);
  void* const second = pool.take(24);
  EXPECT_NE(first, second);
  pool.give(first, 24);
  EXPECT_EQ(pool.take(20), first) << "of the same size in units";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second) % alignof(std::max_align_t), 0U);
}

TEST(NodePoolTest, WhatIsLargeIsNobodysBlock) {
  NodePool pool;
  void* const large = pool.take(100'000);
  pool.give(large, 100'000);
}

}  // namespace
}  // namespace ctxmgr
