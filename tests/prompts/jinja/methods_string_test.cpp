#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStringMethodTest, TestsEndsAndCuts) {
  EXPECT_EQ(rendered("{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.endswith('bc') }}{{ 'c'.endswith('bc') }}"),
            "TrueTrueFalse");
  EXPECT_EQ(rendered("{{ 'xax'.strip('x') }}{{ 'xax'.lstrip('x') }}{{ 'xax'.rstrip('x') }}"), "aaxxa");
  EXPECT_TRUE(refused("{{ 'abc'.startswith('b', 1) }}"));
}

TEST(TemplateStringMethodTest, RefusesMethodsThatPythonHasAndThisDoesNot) {
  for (const auto* method : {"encode()", "format(1)", "zfill(3)", "partition(' ')", "isdigit()", "find('a')",
                             "join([])", "rsplit()", "splitlines()", "removeprefix('a')"}) {
    const std::string text = rendered("{{ 'a'." + std::string(method) + " }}");
    EXPECT_NE(text.find("' is not supported"), std::string::npos) << text;
  }
  EXPECT_EQ(rendered("[{{ 'a'.nope }}]"), "[]");
}

}  // namespace
}  // namespace ctxmgr
