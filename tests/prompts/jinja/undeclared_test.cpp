#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::refused;
using testing::rendered;

TEST(TemplateUndeclaredTest, AMacroThatReadsWhatIsLeftOverTakesAnyArguments) {
  EXPECT_EQ(rendered("{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, a=2) }}"), "(1,){'a': 2}");
  EXPECT_TRUE(refused("{% macro m() %}{% endmacro %}{{ m(1) }}"));
}

TEST(TemplateUndeclaredTest, AMacroThatSetsTheNameFirstDoesNot) {
  EXPECT_TRUE(refused("{% macro m() %}{% set varargs = 1 %}{{ varargs }}{% endmacro %}{{ m(1) }}"));
  EXPECT_TRUE(refused("{% macro m() %}{% for varargs in [1] %}{{ varargs }}{% endfor %}{% endmacro %}{{ m(1) }}"));
}

}  // namespace
}  // namespace ctxmgr
