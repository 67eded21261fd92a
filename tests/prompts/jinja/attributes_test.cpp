#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateAttributeTest, PrefersMethodsByDotAndKeysByBracket) {
  EXPECT_EQ(rendered("{{ x.items() | list }} {{ x['items'] }} {{ x.n }}", R"({"x": {"items": 1, "n": 2}})"),
            "[('items', 1), ('n', 2)] 1 2");
}

TEST(TemplateAttributeTest, IndexesFromBothEnds) {
  EXPECT_EQ(rendered("{{ x[0] }}{{ x[-1] }}[{{ x[9] }}]{{ x.1 }} {{ 'añb'[1] }}", R"({"x": [1, 2, 3]})"), "13[]2 ñ");
}

TEST(TemplateAttributeTest, Slices) {
  EXPECT_EQ(rendered("{{ x[1:] }}{{ x[:-1] }}{{ x[::-1] }}{{ x[::2] }}{{ x[5:] }} {{ 'añbc'[1:3] }}{{ 'abc'[::-1] }}",
                     R"({"x": [1, 2, 3]})"),
            "[2, 3][1, 2][3, 2, 1][1, 3][] ñbcba");
  EXPECT_TRUE(refused("{{ [1][::0] }}"));
  EXPECT_TRUE(refused("{{ 5[1:] }}"));
}

TEST(TemplateAttributeTest, AMacroShowsNothingOfItself) {
  EXPECT_TRUE(refused("{% macro m(a) %}{% endmacro %}{{ m.name }}"));
  EXPECT_TRUE(refused("{% macro m(a) %}{% endmacro %}{{ m }}"));
}

}  // namespace
}  // namespace ctxmgr
