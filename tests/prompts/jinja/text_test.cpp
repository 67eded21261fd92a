#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateTextTest, MapsCasesAsPythonDoes) {
  EXPECT_EQ(
      rendered("{{ 'straße' | upper }} {{ 'ÀÉ' | lower }} {{ 'ǆ' | capitalize }} {{ 'ΑΣ' | lower }} {{ 'Σ' | lower }}"),
      "STRASSE àé ǅ ας σ");
  EXPECT_EQ(rendered("{{ \"it's a-b\" | title }} {{ \"it's a-b\".title() }}"), "It's A-B It'S A-B");
}

TEST(TemplateTextTest, OneCharacterMayBecomeSeveral) {
  EXPECT_EQ(rendered("{{ 'ﬁn ŉ ᾳ ᾴ և' | upper }}"), "FIN ʼN ΑΙ ΆΙ ԵՒ");
  EXPECT_EQ(rendered("{{ 'ᾳ' | capitalize }} {{ 'ß' | title }}"), "ᾼ SS");
}

TEST(TemplateTextTest, RefusesRareCaseMappings) {
  for (const auto* text :
       {"'ﬁn' | capitalize", "'ﬁn ŉ'.title()", "'aªb'.title()", "'ßa' | capitalize", "'(Σ' | lower"}) {
    EXPECT_TRUE(refused("{{ " + std::string(text) + " }}")) << text;
  }
  EXPECT_EQ(rendered("{{ 'ーa 1a'.title() }}"),
            "error: invalid_argument: line 1, column 17: the title case of a letter behind such a character is not "
            "supported");
}

TEST(TemplateTextTest, CountsCodePoints) { EXPECT_EQ(rendered("{{ 'é😀' | length }}"), "2"); }

TEST(TemplateTextTest, KnowsPythonsWhiteSpace) {
  EXPECT_EQ(rendered("[{{ '\\u2003\\x1f\\xa0a\\u3000' | trim }}]"), "[a]");
}

}  // namespace
}  // namespace ctxmgr
