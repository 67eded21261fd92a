#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateLoopMethodTest, CyclesAndNoticesChanges) {
  EXPECT_EQ(rendered("{% for i in [1, 1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i) }} {% endfor %}"),
            "aTrue bFalse aTrue ");
  EXPECT_TRUE(refused("{% for i in [1] %}{{ loop.cycle() }}{% endfor %}"));
}

}  // namespace
}  // namespace ctxmgr
