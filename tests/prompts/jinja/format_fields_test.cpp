#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateFieldTest, PadsSignsAndGroups) {
  EXPECT_EQ(rendered("{{ '{:+d} {:^7} {:*<5} {:08.3f} {:#x} {:%}'.format(5, 'mid', 'l', -3.14159, 255, 0.5) }}"),
            "+5   mid   l**** -003.142 0xff 50.000000%");
}

TEST(TemplateFieldTest, BoundsWidths) {
  EXPECT_TRUE(exceeds("{{ '%999999999d' % 1 }}"));
  EXPECT_TRUE(exceeds("{{ '{:999999}'.format(1) }}"));
  EXPECT_TRUE(exceeds("{{ '%.99999f' % 1 }}"));
}

}  // namespace
}  // namespace ctxmgr
