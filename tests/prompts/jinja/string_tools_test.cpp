#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStringToolsTest, SplitsAsPythonDoes) {
  EXPECT_EQ(rendered("{{ ' a  b '.split() }}{{ 'a,,b'.split(',') }}{{ 'a b c'.split(' ', 1) }}{{ ''.split(',') }}"),
            "['a', 'b']['a', '', 'b']['a', 'b c']['']");
  EXPECT_TRUE(refused("{{ 'a'.split('') }}"));
  EXPECT_EQ(rendered("{{ ' a  b  c '.split(none, 1) }}{{ ' a '.split(none, 0) }}{{ 'a  '.split(none, 1) }}"),
            "['a', 'b  c ']['a ']['a']");
}

TEST(TemplateStringToolsTest, KnowsTheLineEndsOfPython) {
  EXPECT_EQ(rendered("{{ 'a\\r\\nb\\x0bc\\u2028d\\n' | indent(1) }}"), "a\n b\n c\n d\n");
}

TEST(TemplateStringToolsTest, ReplacesAsPythonDoes) {
  EXPECT_EQ(rendered("{{ 'aaa'.replace('a', 'b', 2) }}{{ 'ab'.replace('', '-') }}{{ 'é'.replace('', '.') }}"),
            "bba-a-b-.é.");
}

}  // namespace
}  // namespace ctxmgr
