#include "engine/structure/plain_line.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(PlainLineTest, TakesOutWhatHidesTextAndCutsByCharacters) {
  EXPECT_EQ(plain_line("a\r\n\tb", 10), "a b");
  EXPECT_EQ(plain_line("a\u200Bb\u202Ec\U000E0041d", 10), "abcd");
  EXPECT_EQ(plain_line("<b>", 10), "‹b›");
  EXPECT_EQ(plain_line("äöüß", 2), "äö…");
}

}  // namespace
}  // namespace ctxmgr::engine
