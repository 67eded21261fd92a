#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateExpressionTest, BindsOperatorsAsJinjaDoes) {
  EXPECT_EQ(rendered("{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }}"), "7 9");
  EXPECT_EQ(rendered("{{ 2 ** 3 }}"), "error: invalid_argument: line 1, column 6: '**' is not supported");
  EXPECT_EQ(rendered("{{ 1 + 2 ~ 3 }} {{ not 1 == 2 }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }}"),
            "error: invalid_argument: "
            "line 1, column 6: cannot add int and str");
  EXPECT_EQ(rendered("{{ not 1 == 2 }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }}"), "True True False");
}

TEST(TemplateExpressionTest, AppliesFiltersBeforeOperators) { EXPECT_EQ(rendered("{{ 1 + -3|abs }}"), "4"); }

TEST(TemplateExpressionTest, ChoosesInline) {
  EXPECT_EQ(rendered("{{ 'a' if false else 'b' if true else 'c' }}[{{ 'x' if false }}]"), "b[]");
}

TEST(TemplateExpressionTest, TellsTuplesFromParentheses) {
  EXPECT_EQ(rendered("{{ (1) }} {{ (1,) }} {{ () }} {{ 1, 2 }}"), "1 (1,) () (1, 2)");
}

TEST(TemplateExpressionTest, RefusesWhatIsNoExpression) {
  for (const auto* source :
       {"{{ }}", "{{ 1 + }}", "{{ a. }}", "{{ f(a=1, 2) }}", "{{ f(a=1, a=2) }}", "{{ a is b is c }}"}) {
    EXPECT_TRUE(refused(source)) << source;
  }
}

}  // namespace
}  // namespace ctxmgr
