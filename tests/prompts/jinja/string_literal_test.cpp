#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStringLiteralTest, DecodesEscapesAsPythonDoes) {
  EXPECT_EQ(rendered(R"({{ 'a\n\t\\\'\"\x41\u00e9\U0001F600' }})"), "a\n\t\\'\"A\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(TemplateStringLiteralTest, KeepsUnknownEscapes) { EXPECT_EQ(rendered(R"({{ '\q\d' }})"), R"(\q\d)"); }

TEST(TemplateStringLiteralTest, JoinsAdjacentLiterals) { EXPECT_EQ(rendered("{{ 'a' \"b\" }}"), "ab"); }

TEST(TemplateStringLiteralTest, RefusesSurrogatesAndTruncatedEscapes) {
  EXPECT_TRUE(refused(R"({{ '\ud800' }})"));
  EXPECT_TRUE(refused(R"({{ '\x4' }})"));
  for (const auto* literal : {R"('\N{DASH}')", R"('\101')", "'\\\xC3\xA9'"}) {
    EXPECT_TRUE(refused("{{ " + std::string(literal) + " }}")) << literal;
  }
}

}  // namespace
}  // namespace ctxmgr
