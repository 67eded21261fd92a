#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateLexerTest, KeepsTextAsItIs) { EXPECT_EQ(rendered("a { b } % # \n"), "a { b } % # \n"); }

TEST(TemplateLexerTest, NormalisesLineEnds) { EXPECT_EQ(rendered("a\r\nb\rc\n"), "a\nb\nc\n"); }

TEST(TemplateLexerTest, DropsComments) { EXPECT_EQ(rendered("a{# {{ x }} \n #}b"), "ab"); }

TEST(TemplateLexerTest, TrimsWhereSignsSaySo) {
  EXPECT_EQ(rendered("x {{- ' y ' -}} \n z"), "x y z");
  EXPECT_EQ(rendered("x \n{%- if true -%}\n y \n{%- endif -%}\n z"), "xyz");
  EXPECT_EQ(rendered("x {#- c -#} z"), "xz");
  EXPECT_EQ(rendered("x\xC2\xA0{{- 1 }}"), "x1");
}

TEST(TemplateLexerTest, LeavesRawBlocksAlone) {
  EXPECT_EQ(rendered("{% raw %}{{ a }}{% b %}{# c #}{% endraw %}"), "{{ a }}{% b %}{# c #}");
  EXPECT_EQ(rendered("a {%- raw -%} x {%- endraw -%} b"), "axb");
}

TEST(TemplateLexerTest, ReadsNumbersOfAllKinds) {
  EXPECT_EQ(rendered("{{ 1000 }} {{ 1.5e3 }} {{ 00 }} {{ [[7]].0.0 }}"), "1000 1500.0 0 7");
  for (const auto* number : {"0x1F", "0b101", "0o17"})
    EXPECT_EQ(rendered("{{ " + std::string(number) + " }}"),
              "error: invalid_argument: line 1, column 4: a base other than ten is not supported");
  EXPECT_TRUE(exceeds("{{ 99999999999999999999 }}"));
  for (const auto* number : {"1_000", "1.5_0", "01", "1_"})
    EXPECT_TRUE(refused("{{ " + std::string(number) + " }}")) << number;
}

TEST(TemplateLexerTest, TakesBracesInsideBrackets) { EXPECT_EQ(rendered("{{ {'a': {'b': 1}}['a'].b }}"), "1"); }

TEST(TemplateLexerTest, RefusesWhatIsNotClosed) {
  EXPECT_TRUE(refused("{{ a"));
  EXPECT_TRUE(refused("{% if a"));
  EXPECT_TRUE(refused("{# a"));
  EXPECT_TRUE(refused("{{ 'a }}"));
  EXPECT_TRUE(refused("{% raw %} a"));
  EXPECT_TRUE(refused("{{ (a] }}"));
}

TEST(TemplateLexerTest, AcceptsNamesOfAnyScript) { EXPECT_EQ(rendered("{{ föö }}", R"({"föö": 1})"), "1"); }

TEST(TemplateLexerTest, DecodesEscapesAsPythonDoes) {
  EXPECT_EQ(rendered(R"({{ 'a\n\t\\\'\"\x41\u00e9\U0001F600' }})"), "a\n\t\\'\"A\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(TemplateLexerTest, KeepsUnknownEscapes) { EXPECT_EQ(rendered(R"({{ '\q\d' }})"), R"(\q\d)"); }

TEST(TemplateLexerTest, JoinsAdjacentLiterals) { EXPECT_EQ(rendered("{{ 'a' \"b\" }}"), "ab"); }

TEST(TemplateLexerTest, RefusesSurrogatesAndTruncatedEscapes) {
  EXPECT_TRUE(refused(R"({{ '\ud800' }})"));
  EXPECT_TRUE(refused(R"({{ '\x4' }})"));
  for (const auto* literal : {R"('\N{DASH}')", R"('\101')", "'\\\xC3\xA9'"}) {
    EXPECT_TRUE(refused("{{ " + std::string(literal) + " }}")) << literal;
  }
}

}  // namespace
}  // namespace ctxmgr
