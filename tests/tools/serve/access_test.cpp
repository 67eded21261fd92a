#include "serve/access.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

TEST(AccessTest, WithoutATokenOnlyThisMachineMayAsk) {
  const Access access("");
  EXPECT_TRUE(access.admits({"127.0.0.1:8790", "", "", ""}));
  EXPECT_TRUE(access.admits({"localhost", "http://localhost:3000", "", ""}));
  EXPECT_TRUE(access.admits({"[::1]:80", "", "", ""}));
  EXPECT_FALSE(access.admits({"", "", "", ""}));
  EXPECT_FALSE(access.admits({"127.0.0.1.evil.example", "", "", ""}));
  EXPECT_FALSE(access.admits({"localhost:1", "https://evil.example", "", ""}));
  EXPECT_FALSE(access.admits({"localhost:1", "null", "", ""}));
}

TEST(AccessTest, WithATokenWhoeverHasItMayAsk) {
  const Access access("open sesame");
  EXPECT_TRUE(access.admits({"proxy.example", "", "open sesame", ""}));
  EXPECT_TRUE(access.admits({"proxy.example", "", "", "Basic dXNlcjpvcGVuIHNlc2FtZQ=="}));
  EXPECT_FALSE(access.admits({"localhost", "", "", ""}));
  EXPECT_FALSE(access.admits({"localhost", "", "open sesam", ""}));
  EXPECT_FALSE(access.admits({"localhost", "", "open sesameopen sesame", ""}));
  EXPECT_FALSE(access.admits({"localhost", "", "", "Basic dXNlcjpvcGVu"}));
  EXPECT_FALSE(access.admits({"localhost", "", "", "Bearer open sesame"}));
}

}  // namespace
}  // namespace ctxpack::serve::test
