#include "engine/index/fingerprint.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(FingerprintTest, OrderAndBordersCount) {
  EXPECT_NE(fingerprint("b", fingerprint("a")), fingerprint("a", fingerprint("b")));
  EXPECT_NE(fingerprint("c", fingerprint("ab")), fingerprint("bc", fingerprint("a")));
  EXPECT_NE(fingerprint("", fingerprint("a")), fingerprint("a"));
  EXPECT_EQ(fingerprint("abc"), fingerprint("abc"));
}

TEST(FingerprintTest, EveryByteCounts) {
  std::string text(100, 'x');
  const auto before = fingerprint(text);
  for (auto& c : text) {
    c = 'y';
    EXPECT_NE(fingerprint(text), before);
    c = 'x';
  }
}

}  // namespace
}  // namespace ctxmgr::engine
