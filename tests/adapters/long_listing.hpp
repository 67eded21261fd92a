#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr::testing {

/// How many keys a listing has: CTXMGR_TEST_LISTED_KEYS, where somebody wants to wait for a million.
inline int listed_keys() {
  const char* wanted = std::getenv("CTXMGR_TEST_LISTED_KEYS");
  return wanted ? std::atoi(wanted) : 20'000;
}

/// Lists many keys page by page, while between two pages others come and go before, around and after where it stands:
/// those that stay are listed once each, in order.
inline void expect_listing_is_stable(KeyValueStore& store) {
  const auto key_of = [](int number) { return "key" + std::to_string(10'000'000 + number); };
  const auto last = listed_keys() - 1;
  std::vector<KeyValueWrite> changes;
  for (int i = 0; i <= last; ++i) {
    changes.push_back({key_of(i) + "stays", "v", {}, {}});
    if (changes.size() < 1'000 && i < last) continue;
    ASSERT_TRUE(store.write("n", changes, {}));
    changes.clear();
  }
  int next = 0;
  for (std::string after; next <= last;) {
    const auto page = store.list("n", {}, after, 997, {});
    ASSERT_TRUE(page);
    ASSERT_FALSE(page->empty()) << "after " << next;
    for (const auto& info : *page) {
      const bool stays = info.key.ends_with("stays");
      ASSERT_TRUE(!stays || info.key == key_of(next) + "stays") << info.key;
      next += stays ? 1 : 0;
    }
    after = page->back().key;
    changes.clear();
    for (const int around : {0, next - 2, next - 1, next, next + 5, next + 2'000}) {
      const bool comes = (around + next) % 2 == 0;
      changes.push_back({key_of(around), comes ? std::optional<std::string>("v") : std::nullopt, {}, {}});
    }
    ASSERT_TRUE(store.write("n", changes, {}));
  }
  EXPECT_EQ(next, last + 1);
}

}  // namespace ctxmgr::testing
