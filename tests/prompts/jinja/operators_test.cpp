#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::refused;
using testing::rendered;

TEST(TemplateOperatorTest, ComparesAcrossNumbersAndRefusesAcrossTypes) {
  EXPECT_EQ(rendered("{{ 1 == 1.0 }}{{ true == 1 }}{{ 'a' == 1 }}{{ [1, 2] < [1, 3] }}{{ (1,) == [1] }}{{ {'a': 1} == "
                     "{'a': 1.0} }}"),
            "TrueTrueFalseTrueFalseTrue");
  EXPECT_EQ(rendered("{{ 9007199254740993 == 9007199254740992.0 }}"), "False");
  EXPECT_TRUE(refused("{{ 1 < 'a' }}"));
}

TEST(TemplateOperatorTest, FindsInContainers) {
  EXPECT_EQ(rendered("{{ 'b' in 'abc' }}{{ 1 in [true] }}{{ 'a' in {'a': 1} }}{{ 2 in range(2) }}{{ 'x' not in [] }}"),
            "TrueTrueTrueFalseTrue");
}

}  // namespace
}  // namespace ctxmgr
