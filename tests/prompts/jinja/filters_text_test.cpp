#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateTextFilterTest, IndentsAndTruncates) {
  EXPECT_EQ(rendered("{{ 'a\\nb\\n\\nc' | indent(2) }}"), "a\n  b\n\n  c");
  EXPECT_EQ(rendered("{{ 'a\\nb' | indent('> ', true) }}"), "> a\n> b");
  EXPECT_EQ(rendered("{{ 'hello wonderful world' | truncate(12) }}|{{ 'hello world' | truncate(6, true, leeway=0) }}"),
            "hello...|hel...");
}

TEST(TemplateTextFilterTest, Joins) {
  EXPECT_EQ(
      rendered("{{ [1, 'a', none] | join('-') }}{{ x | join(', ', attribute='n') }}", R"({"x": [{"n": 1}, {"n": 2}]})"),
      "1-a-None1, 2");
}

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
