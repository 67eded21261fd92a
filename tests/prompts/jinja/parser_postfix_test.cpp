#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::refused;
using testing::rendered;

TEST(TemplatePostfixTest, TakesTestsWithAndWithoutParentheses) {
  EXPECT_EQ(rendered("{{ 6 is divisibleby 3 }} {{ 6 is divisibleby(4) }} {{ x is not defined }}"), "True False True");
}

TEST(TemplatePostfixTest, SlicesTheResultOfAnExpressionThatEndsWithASlice) {
  EXPECT_EQ(rendered("{{ [1, 2, 3][[0, 1, 2][1:][0]] }}"), "2");
}

TEST(TemplatePostfixTest, NamesUnknownFiltersUnlessAConditionHidesThem) {
  EXPECT_EQ(rendered("a\n {{ 1 | nope }}"), "error: invalid_argument: line 2, column 9: no filter named 'nope'");
  EXPECT_EQ(rendered("{% if false %}{{ 1 | nope }}{% endif %}"), "");
}

TEST(TemplatePostfixTest, RefusesArgumentsThatAreOutOfOrderOrTwice) {
  for (const auto* source : {"{{ f(a=1, 2) }}", "{{ f(a=1, a=2) }}", "{{ f(*a) }}", "{{ f(**a) }}", "{{ a is b is c }}",
                             "{{ a. }}", "{{ a[1:2, 3] }}"}) {
    EXPECT_TRUE(refused(source)) << source;
  }
}

}  // namespace
}  // namespace ctxmgr
