#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateSequenceFilterTest, SortsStablyIgnoringCase) {
  EXPECT_EQ(
      rendered(
          "{{ ['b', 'A', 'a', 'B'] | sort }}{{ [3, 1, 2] | sort(reverse=true) }}{{ {'b': 1, 'a': 2} | dictsort }}"),
      "['A', 'a', 'b', 'B'][3, 2, 1][('a', 2), ('b', 1)]");
  EXPECT_TRUE(refused("{{ [1, 'a'] | sort }}"));
}

TEST(TemplateSequenceFilterTest, PicksAndReverses) {
  EXPECT_EQ(rendered("{{ [1, 2] | first }}{{ [1, 2] | last }}{{ [] | first }}{{ 'abc' | reverse }}{{ [1, 2] | reverse "
                     "| list }}{{ ['a', 'A', 'b'] | unique | list }}"),
            "12cba[2, 1]['a', 'b']");
  EXPECT_EQ(rendered("{{ [3, 1] | min }}{{ ['b', 'C'] | max }}[{{ [] | max }}]"), "1C[]");
}

}  // namespace
}  // namespace ctxmgr
