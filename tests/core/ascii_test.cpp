#include "core/ascii.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::ascii {
namespace {

TEST(AsciiTest, CaseIsThatOfAsciiAlone) {
  EXPECT_EQ(lower_case(std::string("Retry-AFTER \xC3\x84")), "retry-after \xC3\x84");
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-type"));
  EXPECT_FALSE(equals_ignoring_case("content-typ", "content-type"));
}

TEST(AsciiTest, TrimsBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \r\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(AsciiTest, TakesTextUpToAMarkAndTheMarkWithIt) {
  std::string_view text = "a,,b";
  EXPECT_EQ(take_until(text, ','), "a");
  EXPECT_EQ(take_until(text, ','), "");
  EXPECT_EQ(take_until(text, ','), "b");
  EXPECT_EQ(text, "");
  EXPECT_EQ(take_until(text, ','), "");
}

}  // namespace
}  // namespace ctxmgr::ascii
