#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateCursorTest, GoesThroughWhatPythonIterates) {
  EXPECT_EQ(rendered("{{ 'añ' | list }}{{ {'a': 1} | list }}{{ (1, 2) | list }}{{ nope | list }}{{ range(2) | list "
                     "}}{{ {'a': 1}.values() | list }}"),
            "['a', 'ñ']['a'][1, 2][][0, 1][1]");
  EXPECT_TRUE(refused("{{ 5 | list }}"));
}

TEST(TemplateCursorTest, SeesWhatIsAppendedMeanwhile) {
  EXPECT_EQ(
      rendered(
          "{% set x = [1] %}{% for i in x %}{{ i }}{% if i < 3 %}{% set _ = x.append(i + 1) %}{% endif %}{% endfor %}"),
      "123");
}

}  // namespace
}  // namespace ctxmgr
