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

TEST(FingerprintTest, AFenceNumberIsNotInWhatItEncloses) {
  const std::string text = "text";
  const auto hostile = fence_number(text);
  EXPECT_EQ(hostile.size(), 8U);
  EXPECT_EQ(hostile, fence_number(text));
  // Somebody who knows the number of a text cannot write it into that text and keep it.
  const auto again = fence_number(text + hostile);
  EXPECT_EQ((text + hostile).find(again), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr::engine
