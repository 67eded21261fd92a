#include "engine/index/index_keeper.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

class IndexKeeperTest : public ::testing::Test {
 protected:
  static std::vector<Fingerprint> keys(std::size_t count) {
    std::vector<Fingerprint> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(fingerprint(std::to_string(i)));
    return keys;
  }
  // What a caller does: takes, adds what is missing, puts back. Gives how many items were there already.
  std::size_t grow(const std::vector<Fingerprint>& keys) {
    auto taken = keeper_.take(keys);
    const std::size_t had = taken->keys.size();
    for (std::size_t i = had; i < keys.size(); ++i) {
      ItemText item;
      item.text = "alpha";
      taken->index.append(item);
      taken->keys.push_back(keys[i]);
    }
    EXPECT_EQ(taken->index.size(), taken->keys.size());
    keeper_.put(std::move(taken));
    return had;
  }

  IndexKeeper keeper_{1 << 20};
};

TEST_F(IndexKeeperTest, AListThatHasGrownCostsItsNewItems) {
  EXPECT_EQ(grow(keys(100)), 0U);
  EXPECT_EQ(grow(keys(101)), 100U);
  EXPECT_EQ(grow(keys(101)), 101U);
}

TEST_F(IndexKeeperTest, ALongerIndexServesItsBeginning) {
  grow(keys(100));
  EXPECT_EQ(grow(keys(90)), 100U);
}

TEST_F(IndexKeeperTest, AChangedListIsIndexedAnew) {
  grow(keys(100));
  auto changed = keys(100);
  changed[50] = fingerprint("other");
  EXPECT_EQ(grow(changed), 0U);
  EXPECT_EQ(grow(changed), 100U);
}

TEST_F(IndexKeeperTest, ShortListsDriveNothingOut) {
  grow(keys(100));
  EXPECT_EQ(grow({fingerprint("other")}), 0U);
  EXPECT_EQ(grow(keys(100)), 100U);
}

TEST_F(IndexKeeperTest, WhoComesSecondBeginsAnew) {
  grow(keys(100));
  const auto first = keeper_.take(keys(100));
  EXPECT_EQ(first->keys.size(), 100U);
  EXPECT_EQ(keeper_.take(keys(100))->keys.size(), 0U);
}

TEST_F(IndexKeeperTest, WhatTakesTooMuchMemoryIsNotKept) {
  IndexKeeper small(1000);
  auto index = small.take(keys(100));
  for (const Fingerprint& key : keys(100)) {
    ItemText item;
    item.text = "alpha";
    index->index.append(item);
    index->keys.push_back(key);
  }
  small.put(std::move(index));
  EXPECT_EQ(small.take(keys(100))->keys.size(), 0U);
}

}  // namespace
}  // namespace ctxmgr::engine
