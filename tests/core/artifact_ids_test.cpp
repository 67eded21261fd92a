#include "core/artifact_ids.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(ArtifactIdsTest, PartsOfIdsAreShortAsciiWords) {
  EXPECT_EQ(id_part("web_search-2.0"), "web_search-2.0");
  EXPECT_EQ(id_part("a b/c\n\xC3\xA9"), "a_b_c___");
  EXPECT_EQ(id_part(std::string(1000, 'x')).size(), 64U);
}

TEST(ArtifactIdsTest, ATakenIdGetsTheFirstFreeNumber) {
  UniqueIds ids;
  EXPECT_TRUE(ids.reserve("a_2"));
  EXPECT_FALSE(ids.reserve("a_2"));
  EXPECT_EQ(ids.make("a"), "a");
  EXPECT_EQ(ids.make("a"), "a_3");
}

}  // namespace
}  // namespace ctxmgr
