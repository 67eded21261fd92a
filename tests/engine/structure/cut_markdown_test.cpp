#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/pieces.hpp"

namespace ctxmgr::engine {
namespace {

class CutMarkdownTest : public ::testing::Test {
 protected:
  std::vector<std::string> cut(std::string_view text) {
    atoms_.clear();
    cut_markdown(text, atoms_);
    return pieces_of(text, atoms_);
  }

  std::vector<Atom> atoms_;
};

using Pieces = std::vector<std::string>;

TEST_F(CutMarkdownTest, ASentenceGoesOnOverTheEndsOfWrappedLines) {
  EXPECT_EQ(cut("The journal is written before the page, so that a\n"
                "crash can be undone. Afterwards the journal is cut to\n"
                "nothing again, which is what commits.\n"),
            (Pieces{"The journal is written before the page, so that a\ncrash can be undone.",
                    "Afterwards the journal is cut to\nnothing again, which is what commits."}));
}

TEST_F(CutMarkdownTest, ALineThatHadRoomForTheNextWordEndsASentence) {
  EXPECT_EQ(cut("Rooms that are still free in the week after Easter\nA12\nB7\n").size(), 3U);
}

TEST_F(CutMarkdownTest, LinesTooLongToBeWrappedAreParagraphs) {
  std::string text;
  for (int i = 0; i < 2; ++i) text.append(130, 'x').append(" and no stop\n");
  EXPECT_EQ(cut(text).size(), 2U);
}

TEST_F(CutMarkdownTest, LinesThatBeginWithTheSameMarkAreNotWrapped) {
  EXPECT_EQ(cut("INSERT INTO `hotels` VALUES\n(1,'Linden House and Garden','Oslo',48400.76),\n"
                "(2,'Harbour House and Garden','Lyon',91500.99),\n(3,'Royal House and Garden','Graz',200.34);\n"),
            (Pieces{"INSERT INTO `hotels` VALUES", "(1,'Linden House and Garden','Oslo',48400.76),",
                    "(2,'Harbour House and Garden','Lyon',91500.99),", "(3,'Royal House and Garden','Graz',200.34);"}));
  EXPECT_EQ(cut("<p>A quiet house near the station of the town.</p>\n<p>Breakfast is served from seven to nine.</p>\n")
                .size(),
            2U);
}

TEST_F(CutMarkdownTest, AHeadingOfHtmlStandsAboveWhatFollows) {
  cut("<div class=\"card\"><h2>Linden House</h2>\n<p>Phone: 55 100</p></div>\n"
      "<div class=\"card\"><h2>Harbour House</h2>\n<p>Phone: 55 200</p></div>\n");
  ASSERT_EQ(atoms_.size(), 4U);
  EXPECT_EQ(atoms_[0].kind, AtomKind::heading);
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, 2U);
  cut("<p>A <hr> is a rule, and <h2 opens what nothing closes.</p>\n");
  EXPECT_EQ(atoms_[0].kind, AtomKind::sentence);
}

TEST_F(CutMarkdownTest, TheTitleOfAClauseStandsAboveTheClausesThatAreNumberedUnderIt) {
  cut("4. Fees\n4.1 Fees are due within 30 days.\n4.2. Late fees\n4.2.1 Late fees are two percent.\n\n"
      "5. Audit\n\n5.1 The customer may audit once a year.\n6. Nothing is under this\n7. Nor under this\n");
  ASSERT_EQ(atoms_.size(), 8U);
  EXPECT_EQ(atoms_[0].kind, AtomKind::heading);
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[2].kind, AtomKind::heading);
  EXPECT_EQ(atoms_[2].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, 2U);
  EXPECT_EQ(atoms_[4].heading, no_atom);
  EXPECT_EQ(atoms_[5].heading, 4U);
  EXPECT_NE(atoms_[6].kind, AtomKind::heading);
  EXPECT_NE(atoms_[7].kind, AtomKind::heading);
}

TEST_F(CutMarkdownTest, ItemsOfAListStandAlone) {
  EXPECT_EQ(cut("- the first item, wrapped over two of these lines\n  because it is long enough to be\n"
                "- the second item\n1. numbered, and as long as the first of these items\n2. the last\n"),
            (Pieces{"- the first item, wrapped over two of these lines\n  because it is long enough to be",
                    "- the second item", "1. numbered, and as long as the first of these items", "2. the last"}));
}

TEST_F(CutMarkdownTest, CodeIsNoContinuation) {
  EXPECT_EQ(
      cut("To read a value again after a restart of the process\n        store->get(name_of_the_value);\n").size(), 2U);
}

TEST_F(CutMarkdownTest, HeadingsRowsAndFencesEndAParagraph) {
  const std::string prose = "a line that is long enough to look like a wrapped one\n";
  EXPECT_EQ(
      cut(prose + "# Heading\n" + prose + "| a table with a wide cell | and | another |\n" + prose + "```\nx\n```\n")
          .size(),
      8U);
}

TEST_F(CutMarkdownTest, WhatStandsUnderAHeadingKnowsIt) {
  cut("# Limits\n\nAt most sixteen mebibytes for each value.\n\n## Keys\n\nAt most four hundred bytes for a key.\n");
  ASSERT_EQ(atoms_.size(), 4U);
  EXPECT_EQ(atoms_[0].heading, no_atom);
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, 2U);
  EXPECT_EQ(atoms_[2].heading, 0U);
}

TEST_F(CutMarkdownTest, RowsComeWithTheirHeaderAndLinesWithTheirFence) {
  cut("| a | b |\n| 1 | 2 |\n\n```\nrun();\n```\n");
  ASSERT_EQ(atoms_.size(), 5U);
  EXPECT_EQ(atoms_[1].open, 0U);
  EXPECT_EQ(atoms_[3].open, 2U);
  EXPECT_EQ(atoms_[3].close, 4U);
}

TEST_F(CutMarkdownTest, AHeaderIsItsRuleAndRowsThatNameColumnsToo) {
  cut("|  | Years |  |\n|---|---|---|\n|  | 2018 | 2019 |\n| Sold | 1 | 2 |\n|  | 3 | 4 |\n");
  ASSERT_EQ(atoms_.size(), 5U);
  for (const std::size_t h : {0U, 1U, 2U}) EXPECT_EQ(atoms_[h].kind, AtomKind::frame);
  EXPECT_EQ(atoms_[2].open, 1U);
  EXPECT_EQ(atoms_[1].open, 0U);
  EXPECT_EQ(atoms_[0].open, 0U);
  EXPECT_EQ(atoms_[3].kind, AtomKind::row);
  EXPECT_EQ(atoms_[4].kind, AtomKind::row);
  EXPECT_EQ(atoms_[4].open, 2U);
}

TEST_F(CutMarkdownTest, AFenceThatNeverClosesHasNoClosingFrame) {
  cut("~~~\none();\n```\n");
  ASSERT_EQ(atoms_.size(), 3U);
  EXPECT_EQ(atoms_[1].open, 0U);
  EXPECT_EQ(atoms_[1].close, no_atom);
}

TEST_F(CutMarkdownTest, AHashIsAHeadingBeforeABlankAndOutsideOfFencesOnly) {
  cut("#include is a directive of C.\n\n```\n# a comment\n```\n");
  ASSERT_EQ(atoms_.size(), 4U);
  EXPECT_EQ(atoms_[0].kind, AtomKind::sentence);
  EXPECT_EQ(atoms_[2].kind, AtomKind::line);
}

TEST_F(CutMarkdownTest, ABlankLineStartsAParagraph) {
  cut("The first paragraph has one sentence.\n\nThe second paragraph has two. They are both quite short.\n");
  ASSERT_EQ(atoms_.size(), 3U);
  EXPECT_TRUE(atoms_[1].paragraph_start);
  EXPECT_FALSE(atoms_[2].paragraph_start);
}

TEST_F(CutMarkdownTest, AHeadingStandsUnderTheNextHigherOneAboveIt) {
  cut("# Store\n### Keys\n## Values\n# Cache\n");
  ASSERT_EQ(atoms_.size(), 4U);
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[2].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, no_atom);
}

TEST_F(CutMarkdownTest, ALineAboveDeeperOnesIsTheirHeading) {
  const auto lines =
      cut("tool (1.2) stable\n\n  * Fix the pump.\n  * Oil the crane.\n\n -- Ann\n\n"
          "tool (1.1) stable\n\n  * Paint the door.\n");
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[2].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, 0U);
  EXPECT_EQ(atoms_[4].heading, no_atom);
  EXPECT_EQ(atoms_[5].heading, 4U);
}

TEST_F(CutMarkdownTest, AnOutlineIsFollowedToABoundedDepth) {
  cut("services\n  web\n    image\n  store\n");
  EXPECT_EQ(atoms_[2].heading, 1U);
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, 0U);
  std::string deep;
  for (std::size_t i = 0; i < 40; ++i) deep += std::string(i, ' ') + "x\n";
  cut(deep);
  std::size_t above = 0;
  for (std::uint32_t h = atoms_.back().heading; h != no_atom; h = atoms_[h].heading) ++above;
  EXPECT_EQ(above, 8U);
}

TEST_F(CutMarkdownTest, WhatEndsASentenceOrGoesOnIsNoHeading) {
  cut("This ends here.\n  A deeper line.\n");
  EXPECT_EQ(atoms_[1].heading, no_atom);
  cut("- an item\n  - and one below it\n");
  EXPECT_EQ(atoms_[1].heading, no_atom);
  const auto lines = cut("The journal is written before the page, so that a\n  crash can be undone.\n");
  EXPECT_EQ(lines.size(), 1U);
}

TEST_F(CutMarkdownTest, AnUnderlinedLineIsAHeadingWithItsLine) {
  const auto lines = cut("The crane\n=========\n\nIt is red.\n\nRepair\n---\nOil it.\n\n# Next\nMore.\n");
  EXPECT_EQ(lines, (Pieces{"The crane\n=========", "It is red.", "Repair\n---", "Oil it.", "# Next", "More."}));
  EXPECT_EQ(atoms_[1].heading, 0U);
  EXPECT_EQ(atoms_[3].heading, 2U);
  EXPECT_EQ(atoms_[2].heading, 0U);
  EXPECT_EQ(atoms_[5].heading, 4U);
}

// The text of each piece of a kind, with the lines that it is shown with.
std::vector<std::string> shown_with(const std::string& text, AtomKind kind) {
  std::vector<Atom> atoms;
  cut_markdown(text, atoms);
  const auto line = [&](std::uint32_t a) { return text.substr(atoms[a].begin, atoms[a].end - atoms[a].begin); };
  std::vector<std::string> result;
  for (std::uint32_t a = 0; a < atoms.size(); ++a) {
    if (atoms[a].kind != kind) continue;
    std::string all = line(a);
    if (atoms[a].heading != no_atom) all = line(atoms[a].heading) + "/" + all;
    if (atoms[a].open != no_atom) all += "/" + line(atoms[atoms[a].open].open);
    result.push_back(all);
  }
  return result;
}

TEST_F(CutMarkdownTest, RowsStandUnderTheCaptionOfTheirTable) {
  EXPECT_EQ(
      shown_with("Rain in 2024 (mm)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nRain fell often.\n\n| c | d |\n| 3 | 4 |\n",
                 AtomKind::row),
      (std::vector<std::string>{"Rain in 2024 (mm)/| 1 | 2 |/| a | b |", "| 3 | 4 |/| c | d |"}));
}

TEST_F(CutMarkdownTest, AnItemOfAListGoesOnWhereItsTextBegan) {
  EXPECT_EQ(cut("- The name of the host is not resolved when a permanent\n  Queue is set up.\n- Fees\n  rise\n"),
            (Pieces{"- The name of the host is not resolved when a permanent\n  Queue is set up.", "- Fees\n  rise"}));
  EXPECT_EQ(cut("\u2022 Fees\n  rise\n\u2022 Tolls fall\n"), (Pieces{"\u2022 Fees\n  rise", "\u2022 Tolls fall"}));
  EXPECT_EQ(cut("- name: fees\n  run: make\n").size(), 2U);
}

}  // namespace
}  // namespace ctxmgr::engine
