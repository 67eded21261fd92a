#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateLoopTest, FiltersUnpacksAndFallsBack) {
  EXPECT_EQ(rendered("{% for i in range(6) if i is odd %}{{ i }}{{ loop.length }}{% endfor %}"), "133353");
  EXPECT_EQ(rendered("{% for k, (a, b) in [('x', (1, 2))] %}{{ k }}{{ a }}{{ b }}{% endfor %}"), "x12");
  EXPECT_EQ(rendered("{% for i in [] %}x{% else %}none{% endfor %}"), "none");
  EXPECT_TRUE(refused("{% for a, b in [1] %}{% endfor %}"));
  EXPECT_TRUE(refused("{% for a in 5 %}{% endfor %}"));
}

TEST(TemplateMacroTest, TakesDefaultsAndNames) {
  EXPECT_EQ(rendered("{% macro m(a, b=a, c='z') %}{{ a }}{{ b }}{{ c }}{% endmacro %}"
                     "{{ m(1) }}|{{ m(1, c=2) }}|{{ m(1, 2, 3) }}"),
            "11z|112|123");
  EXPECT_TRUE(refused("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}"));
  EXPECT_TRUE(refused("{% macro m(a) %}{% endmacro %}{{ m(b=2) }}"));
}

TEST(TemplateBlockTest, CapturesAndFilters) {
  EXPECT_EQ(rendered("{% set x %}a{{ 1 }}{% endset %}{{ x }}{% set y | upper %}b{% endset %}{{ y }}"), "a1B");
  EXPECT_EQ(rendered("{% filter upper | replace('A', 'x') %}ab{% endfilter %}"), "xB");
  EXPECT_TRUE(refused("{% filter length %}ab{% endfilter %}"));
}

TEST(TemplateLoopTest, LeavesAndGoesOnInChatTemplates) {
  EXPECT_EQ(testing::rendered_as_chat("{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}"
                                      "{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}"),
            "02");
}

}  // namespace
}  // namespace ctxmgr
