#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateSelectionFilterTest, MapsAndSelects) {
  const auto* data = R"({"x": [{"n": "a", "v": 1}, {"n": "b", "v": 2}, {"n": "c"}]})";
  EXPECT_EQ(rendered("{{ x | map(attribute='n') | list }}{{ x | map(attribute='v', default=0) | list }}", data),
            "['a', 'b', 'c'][1, 2, 0]");
  EXPECT_EQ(rendered("{{ x | selectattr('v') | map(attribute='n') | join }}{{ x | rejectattr('n', 'equalto', 'a') | "
                     "list | length }}",
                     data),
            "ab2");
  EXPECT_EQ(rendered("{{ ['a', 'b'] | map('replace', 'a', 'z') | join }}{{ range(5) | select('odd') | list }}"),
            "zb[1, 3]");
}

TEST(TemplateSelectionFilterTest, GivesEachItemOnce) {
  EXPECT_EQ(rendered("{% set m = [1, 2] | map('string') %}{{ m | join }}[{{ m | join }}]"), "12[]");
}

}  // namespace
}  // namespace ctxmgr
