#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateArithmeticTest, DividesAsPythonDoes) {
  EXPECT_EQ(rendered("{{ 7 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}"),
            "3.5 -4 2 -2 3.0 0.5");
  EXPECT_TRUE(refused("{{ 1 // 0 }}"));
  EXPECT_TRUE(refused("{{ 1.0 % 0 }}"));
}

TEST(TemplateArithmeticTest, RefusesIntegersBeyond64Bits) {
  EXPECT_EQ(rendered("{{ 9223372036854775807 }} {{ 4611686018427387903 * 2 }}"),
            "9223372036854775807 9223372036854775806");
  for (const auto* source : {"{{ 9223372036854775807 + 1 }}", "{{ -9223372036854775807 - 2 }}",
                             "{{ 4611686018427387904 * 2 }}", "{{ (-9223372036854775807 - 1) // -1 }}"}) {
    EXPECT_TRUE(exceeds(source)) << source;
  }
}

TEST(TemplateArithmeticTest, RepeatsAndJoins) {
  EXPECT_EQ(rendered("{{ 'ab' * 2 }}{{ [1] * 2 + [2] }}{{ 'a' * -1 }}{{ (1,) + (2,) }}"), "abab[1, 1, 2](1, 2)");
}

TEST(TemplateArithmeticTest, EscapesWhatJoinsEscapedText) {
  EXPECT_EQ(rendered("{{ ('<' | e) + '<' }}{{ ('<' | e) ~ '<' }}"), "&lt;&lt;&lt;<");
}

}  // namespace
}  // namespace ctxmgr
