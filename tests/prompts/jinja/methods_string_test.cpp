#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStringMethodTest, SearchesAndTests) {
  EXPECT_EQ(rendered("{{ 'añbñ'.find('ñ') }}{{ 'añbñ'.find('ñ', 2) }}{{ 'a'.find('z') }}"), "13-1");
  EXPECT_EQ(rendered("{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.endswith('bc', 2) }}"), "TrueFalse");
}

TEST(TemplateStringMethodTest, CutsAndJoins) {
  EXPECT_EQ(rendered("{{ '-'.join(['a', 'b']) }}{{ 'xax'.strip('x') }}"), "a-ba");
  EXPECT_TRUE(refused("{{ ','.join([1]) }}"));
}

TEST(TemplateStringMethodTest, RefusesMethodsThatPythonHasAndThisDoesNot) {
  for (const auto* method : {"encode()", "format(1)", "zfill(3)", "partition(' ')", "isdigit()", "rindex('a')",
                             "count('a')", "rsplit()", "removeprefix('a')"}) {
    const std::string text = rendered("{{ 'a'." + std::string(method) + " }}");
    EXPECT_NE(text.find("' is not supported"), std::string::npos) << text;
  }
  EXPECT_EQ(rendered("[{{ 'a'.nope }}]"), "[]");
}

}  // namespace
}  // namespace ctxmgr
