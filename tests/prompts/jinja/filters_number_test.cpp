#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateNumberFilterTest, RoundsAsPythonDoes) {
  EXPECT_EQ(rendered("{{ 2.5 | round }} {{ 2.675 | round(2) }} {{ 42 | round }} {{ 2.1 | round(0, 'ceil') }} {{ -2.19 "
                     "| round(1, 'floor') }}"),
            "2.0 2.67 42 3.0 -2.2");
}

TEST(TemplateNumberFilterTest, ReadsNumbersFromText) {
  EXPECT_EQ(rendered("{{ ' 42 ' | int }} {{ '3.9' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ '0x1f' | int "
                     "}} {{ '1_000' | int }} {{ '1e3' | float }} {{ 'q' | float }}"),
            "42 3 0 7 0 1000 1000.0 0.0");
  EXPECT_EQ(rendered("{{ '+5' | int }} {{ '-5' | int }} {{ '+-5' | int }} {{ '-' | int }} {{ '007' | int }}"),
            "5 -5 0 0 7");
  EXPECT_TRUE(refused("{{ '1f' | int(base=16) }}"));
}

TEST(TemplateNumberFilterTest, Sums) {
  EXPECT_EQ(rendered("{{ [1, 2.5] | sum }} {{ [[1], [2]] | sum(start=[]) }}"), "3.5 [1, 2]");
}

}  // namespace
}  // namespace ctxmgr
