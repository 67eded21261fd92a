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

TEST(TemplateLoopTest, Recurses) {
  EXPECT_EQ(rendered("{% for i in x recursive %}[{{ i.n }}{{ loop(i.c) if i.c }}{{ loop.depth }}]{% endfor %}",
                     R"({"x": [{"n": 1, "c": [{"n": 2}]}]})"),
            "[1[22]1]");
}

TEST(TemplateMacroTest, TakesDefaultsNamesAndRests) {
  EXPECT_EQ(rendered("{% macro m(a, b=a, c='z') %}{{ a }}{{ b }}{{ c }}{{ varargs }}{{ kwargs }}{% endmacro %}"
                     "{{ m(1) }}|{{ m(1, c=2) }}|{{ m(1, 2, 3, 4, d=5) }}"),
            "11z(){}|112(){}|123(4,){'d': 5}");
  EXPECT_TRUE(refused("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}"));
  EXPECT_TRUE(refused("{% macro m(a) %}{% endmacro %}{{ m(b=2) }}"));
}

TEST(TemplateMacroTest, CallsItsCaller) {
  EXPECT_EQ(rendered("{% macro m(x) %}<{{ caller(x) }}>{% endmacro %}{% call(y) m(3) %}{{ y }}!{% endcall %}"), "<3!>");
  EXPECT_EQ(rendered("{% macro m() %}{{ 1 if caller else 0 }}{% endmacro %}{{ m() }}"), "0");
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
