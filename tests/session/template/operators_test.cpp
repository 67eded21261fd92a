#include "session/template/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateOperatorTest, DividesAsPythonDoes) {
  EXPECT_EQ(rendered("{{ 7 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}"),
            "3.5 -4 2 -2 3.0 0.5");
  EXPECT_TRUE(refused("{{ 1 // 0 }}"));
  EXPECT_TRUE(refused("{{ 1.0 % 0 }}"));
}

TEST(TemplateOperatorTest, RefusesIntegersBeyond64Bits) {
  EXPECT_EQ(rendered("{{ 9223372036854775807 }} {{ 2 ** 62 }}"), "9223372036854775807 4611686018427387904");
  for (const auto* source : {"{{ 9223372036854775807 + 1 }}", "{{ 2 ** 63 }}", "{{ -9223372036854775807 - 2 }}",
                             "{{ 4611686018427387904 * 2 }}", "{{ (-9223372036854775807 - 1) // -1 }}"}) {
    EXPECT_TRUE(exceeds(source)) << source;
  }
}

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

TEST(TemplateOperatorTest, RepeatsAndJoins) {
  EXPECT_EQ(rendered("{{ 'ab' * 2 }}{{ [1] * 2 + [2] }}{{ 'a' * -1 }}{{ (1,) + (2,) }}"), "abab[1, 1, 2](1, 2)");
}

TEST(TemplateOperatorTest, EscapesWhatJoinsEscapedText) {
  EXPECT_EQ(rendered("{{ ('<' | e) + '<' }}{{ ('<' | e) ~ '<' }}"), "&lt;&lt;&lt;<");
}

}  // namespace
}  // namespace ctxmgr
