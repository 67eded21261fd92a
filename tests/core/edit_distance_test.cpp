#include "core/edit_distance.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(EditDistanceTest, CountsLettersPutInDroppedReplacedAndSwapped) {
  EXPECT_EQ(edit_distance("attachments", "attachments"), 0U);
  EXPECT_EQ(edit_distance("attachements", "attachments"), 1U);
  EXPECT_EQ(edit_distance("atachments", "attachments"), 1U);
  EXPECT_EQ(edit_distance("attacmhents", "attachments"), 1U);
  EXPECT_EQ(edit_distance("stop", "steps"), 2U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

}  // namespace
}  // namespace ctxmgr
