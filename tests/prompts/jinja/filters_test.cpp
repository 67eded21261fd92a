#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateFilterTest, BindsArgumentsByPositionAndName) {
  EXPECT_EQ(rendered("{{ x | default(default_value='d', boolean=true) }}", R"({"x": ""})"), "d");
  EXPECT_TRUE(refused("{{ 1 | default(1, 2, 3, 4) }}"));
  EXPECT_TRUE(refused("{{ 1 | default(nope=1) }}"));
  EXPECT_TRUE(refused("{{ 1 | replace('a') }}"));
}

}  // namespace
}  // namespace ctxmgr
