#include "engine/selection/rendering.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

const std::string one = "The first ferry left the harbour at nine.";
const std::string two = "The second ferry was late by a whole hour.";
const std::string three = "The third ferry stayed at the northern pier.";
const std::string four = "The fourth ferry was painted in the spring.";

ItemAnalysis analysis_of(const std::string& text, ContentFormat format, std::size_t label_bytes = 0) {
  TermAnalyzer analyzer;
  ItemText item;
  item.text = text;
  item.format = format;
  item.label_bytes = label_bytes;
  return analyze_item(item, analyzer);
}

TEST(RenderingTest, MarksWhatIsLeftOut) {
  const std::string text = one + " " + two + " " + three + " " + four;
  const ItemAnalysis item = analysis_of(text, ContentFormat::text);
  ASSERT_EQ(item.atoms.size(), 4U);
  EXPECT_EQ(render_atoms(text, item, {0, 1, 0, 1}).text, "\u2026 " + two + " \u2026 " + four);
  EXPECT_EQ(render_atoms(text, item, {1, 1, 0, 0}).text, one + " " + two + " \u2026");
  EXPECT_EQ(render_atoms(text, item, {1, 1, 1, 1}).text, text);
}

TEST(RenderingTest, SpansSayWhereTheTextComesFrom) {
  const std::string text = one + " " + two + " " + three + " " + four;
  const RenderedText rendered = render_atoms(text, analysis_of(text, ContentFormat::text), {1, 1, 0, 1});
  ASSERT_EQ(rendered.spans.size(), 2U);
  EXPECT_EQ(text.substr(rendered.spans[0].offset, rendered.spans[0].length), one + " " + two);
  EXPECT_EQ(text.substr(rendered.spans[1].offset, rendered.spans[1].length), four);
}

TEST(RenderingTest, WhatClosesABlockComesAfterItsLastLine) {
  const std::string text = "CREATE TABLE fees (\n    id integer,\n    harbour text,\n    fee integer\n);\n";
  const ItemAnalysis item = analysis_of(text, ContentFormat::code);
  ASSERT_EQ(item.atoms.size(), 5U);
  AtomSet chosen{0, 0, 0, 1, 0};
  complete_frames(item, chosen);
  EXPECT_EQ(chosen, (AtomSet{1, 0, 0, 1, 1}));
  chosen = {0, 1, 0, 0, 0};
  complete_frames(item, chosen);
  EXPECT_EQ(chosen, (AtomSet{1, 1, 0, 0, 0}));
}

TEST(RenderingTest, ALabelStaysWhateverIsChosen) {
  const std::string text = "Ann: " + one + " " + two;
  EXPECT_EQ(render_atoms(text, analysis_of(text, ContentFormat::text, 5), {0, 1}).text, "Ann: \u2026 " + two);
}

TEST(RenderingTest, AFenceComesWithItsLines) {
  const std::string text = "Intro.\n```\nfirst();\nsecond();\n```\n";
  const ItemAnalysis item = analysis_of(text, ContentFormat::markdown);
  AtomSet chosen(item.atoms.size(), 0);
  chosen[3] = 1;
  complete_frames(item, chosen);
  const std::string rendered = render_atoms(text, item, chosen).text;
  EXPECT_EQ(rendered.find("first"), std::string::npos);
  EXPECT_NE(rendered.find("```\n\u2026\nsecond();\n```"), std::string::npos) << rendered;
}

TEST(RenderingTest, AShortHeadingComesWithWhatStandsUnderIt) {
  const std::string text = "# Ferries\n\n" + one + " " + two + "\n";
  const ItemAnalysis item = analysis_of(text, ContentFormat::markdown);
  AtomSet chosen(item.atoms.size(), 0);
  chosen[2] = 1;
  complete_frames(item, chosen);
  EXPECT_EQ(render_atoms(text, item, chosen).text, "# Ferries\n\u2026\n" + two);
}

TEST(RenderingTest, ALineOfADiffComesWithItsHunkAndFile) {
  const std::string text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n";
  const ItemAnalysis item = analysis_of(text, ContentFormat::diff);
  AtomSet chosen(item.atoms.size(), 0);
  chosen[4] = 1;
  complete_frames(item, chosen);
  EXPECT_EQ(chosen, (AtomSet{0, 1, 1, 0, 1}));
}

TEST(RenderingTest, AnErrorIsRecognisedAsAWord) {
  EXPECT_TRUE(reports_error("2024 ERROR disk full"));
  EXPECT_TRUE(reports_error("java.io.IOException: broken pipe"));
  EXPECT_FALSE(reports_error("the terrorist film"));
}

TEST(RenderingTest, AnErrorThatIsSaidToBeAbsentIsNone) {
  for (const char* none : {"Error: (none)", "errors: 0", "errors=none,", "0 errors, 3 warnings", "12 passed, 0 failed",
                           "done without error", "no errors"})
    EXPECT_FALSE(reports_error(none)) << none;
  for (const char* some : {"Error:", "error: 0x80070005", "10 errors", "no errors, but 2 failed", "error (none left)"})
    EXPECT_TRUE(reports_error(some)) << some;
}

TEST(RenderingTest, AllHeadingsAboveComeAlongWithTheirLevel) {
  const std::string text = "# 2.1\n\n" + one + "\n\n## Fixes\n\n" + two + "\n\n### Sails\n\n" + three + "\n";
  const ItemAnalysis item = analysis_of(text, ContentFormat::markdown);
  ASSERT_EQ(item.atoms.size(), 6U);
  AtomSet chosen(item.atoms.size(), 0);
  chosen[5] = 1;
  complete_frames(item, chosen);
  EXPECT_EQ(render_atoms(text, item, chosen).text, "# 2.1\n\u2026\n## Fixes\n\u2026\n### Sails\n\n" + three);
}

TEST(RenderingTest, ABraceBetweenTwoLinesStandsForItself) {
  const std::string text = "int f() {\n  if (x) {\n    g();\n  }\n  h();\n}\n";
  const ItemAnalysis item = analysis_of(text, ContentFormat::code);
  ASSERT_EQ(item.atoms.size(), 6U);
  AtomSet chosen{0, 0, 1, 0, 1, 0};
  complete_frames(item, chosen);
  EXPECT_EQ(render_atoms(text, item, chosen).text, text);
}

}  // namespace
}  // namespace ctxmgr::engine
