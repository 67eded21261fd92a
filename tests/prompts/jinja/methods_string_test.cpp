#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStringMethodTest, SearchesAndTests) {
  EXPECT_EQ(rendered("{{ 'añbñ'.find('ñ') }}{{ 'añbñ'.rfind('ñ') }}{{ 'abab'.count('ab') }}{{ 'a'.find('z') }}"),
            "132-1");
  EXPECT_EQ(rendered("{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.endswith('bc', 2) }}{{ '12'.isdigit() }}{{ "
                     "'aé'.isalpha() }}{{ ''.isspace() }}"),
            "TrueFalseTrueTrueFalse");
  EXPECT_TRUE(refused("{{ 'a'.index('z') }}"));
}

TEST(TemplateStringMethodTest, CutsAndJoins) {
  EXPECT_EQ(
      rendered(
          "{{ 'a=b=c'.partition('=') }}{{ 'a=b=c'.rpartition('=') }}{{ '-'.join(['a', 'b']) }}{{ 'xax'.strip('x') }}"),
      "('a', '=', 'b=c')('a=b', '=', 'c')a-ba");
  EXPECT_EQ(rendered("{{ 'abc'.removeprefix('a').removesuffix('c') }}{{ '-5'.zfill(4) }}{{ 'aB'.swapcase() }}"),
            "b-005Ab");
  EXPECT_TRUE(refused("{{ ','.join([1]) }}"));
}

TEST(TemplateStringMethodTest, RefusesMethodsThatPythonHasAndThisDoesNot) {
  EXPECT_TRUE(refused("{{ 'a'.encode() }}"));
  EXPECT_EQ(rendered("[{{ 'a'.nope }}]"), "[]");
}

}  // namespace
}  // namespace ctxmgr
