#include "session/access_rules.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(AccessRulesTest, WithoutARuleEverythingIsOpen) { EXPECT_EQ(access_of({}, "writer", "k"), Access::read_write); }

TEST(AccessRulesTest, TheLongestPrefixDecides) {
  const std::vector<AccessRule> rules{
      {"", "", Access::read}, {"", "draft:", Access::read_write}, {"", "draft:x", Access::none}};
  EXPECT_EQ(access_of(rules, "writer", "notes"), Access::read);
  EXPECT_EQ(access_of(rules, "writer", "draft:1"), Access::read_write);
  EXPECT_EQ(access_of(rules, "writer", "draft:x1"), Access::none);
}

TEST(AccessRulesTest, ARuleThatNamesTheAgentBeatsOneForEverybodyWhateverTheirOrder) {
  const std::vector<AccessRule> rules{{"boss", "p:", Access::read_write}, {"", "p:", Access::none}};
  EXPECT_EQ(access_of(rules, "boss", "p:1"), Access::read_write);
  EXPECT_EQ(access_of(rules, "writer", "p:1"), Access::none);
}

TEST(AccessRulesTest, OfEqualRulesTheLaterCounts) {
  EXPECT_EQ(access_of({{"", "", Access::none}, {"", "", Access::read}}, "writer", "k"), Access::read);
}

}  // namespace
}  // namespace ctxmgr
