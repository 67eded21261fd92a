#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateEvaluationTest, TreatsUndefinedAsJinjaDoes) {
  EXPECT_EQ(rendered("[{{ a }}{{ a | default('d') }}{{ a is defined }}{{ [a] }}]"), "[dFalse[Undefined]]");
  EXPECT_EQ(rendered("{{ x.b }}", R"({"x": {}})"), "");
  EXPECT_EQ(rendered("{{ a.b }}"), "error: invalid_argument: line 1, column 5: 'a' is undefined");
  EXPECT_TRUE(refused("{{ a + 1 }}"));
  EXPECT_TRUE(refused("{{ a() }}"));
}

TEST(TemplateEvaluationTest, RefusesUndefinedWhereAskedTo) {
  using testing::rendered_strictly;
  EXPECT_EQ(rendered_strictly("{{ a }}"), "error: invalid_argument: line 1, column 4: 'a' is undefined");
  EXPECT_EQ(rendered_strictly("{{ a | default('d') }}{{ a is defined }}"), "dFalse");
  for (const auto* source : {"{% if a %}{% endif %}", "{% for i in a %}{% endfor %}", "{{ a == 1 }}", "{{ x.y }}",
                             "{{ [1][5] }}", "{{ a | length }}", "{{ a | join }}", "{{ 1 in a }}"}) {
    EXPECT_EQ(rendered_strictly(source, R"({"x": {}})").rfind("error: invalid_argument", 0), 0U) << source;
  }
}

TEST(TemplateEvaluationTest, ReturnsOperandsOfAndAndOr) {
  EXPECT_EQ(rendered("{{ '' or 'b' }}{{ 0 and 1 }}{{ 1 and 'c' }}"), "b0c");
}

TEST(TemplateEvaluationTest, ConcatenatesTextsOfAnything) {
  EXPECT_EQ(rendered("{{ 'a' ~ 1 ~ 2.5 ~ none ~ [1, 'x'] }}"), "a12.5None[1, 'x']");
}

}  // namespace
}  // namespace ctxmgr
