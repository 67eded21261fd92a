#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateLoopVariableTest, CountsFromBothEnds) {
  EXPECT_EQ(rendered("{% for i in 'abc' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ "
                     "loop.first }}{{ loop.last }} {% endfor %}"),
            "1032TrueFalse 2121FalseFalse 3210FalseTrue ");
}

TEST(TemplateLoopVariableTest, LooksAroundAndAhead) {
  EXPECT_EQ(
      rendered("{% for i in [1, 2] %}[{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }}]{{ loop.length }}{% endfor %}"),
      "[<1>2]2[1<2>]2");
  EXPECT_EQ(rendered("{% for i in [1, 2, 3] | select %}{{ loop.nextitem }}{{ loop.length }}{{ i }},{% endfor %}"),
            "231,332,33,");
}

}  // namespace
}  // namespace ctxmgr
