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
  EXPECT_EQ(rendered("{{ 'ﬁn' | capitalize }} {{ 'ﬁn ŉ'.title() }} {{ 'ß' | title }}"), "Fin Fin ʼN SS");
  EXPECT_EQ(rendered("{{ 'aªb'.title() }}"), "Aªb");
}

TEST(TemplateTextTest, CountsCodePoints) { EXPECT_EQ(rendered("{{ 'é😀' | length }}"), "2"); }

TEST(TemplateTextTest, KnowsPythonsWhiteSpace) {
  EXPECT_EQ(rendered("[{{ '\\u2003\\x1f\\xa0a\\u3000' | trim }}]"), "[a]");
}

}  // namespace
}  // namespace ctxmgr
