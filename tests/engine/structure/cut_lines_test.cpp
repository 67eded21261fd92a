#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

std::vector<Atom> cut(std::string_view text, ContentFormat format) {
  std::vector<Atom> atoms;
  cut_lines(text, format, atoms);
  return atoms;
}

TEST(CutLinesTest, EveryLineIsAnAtomWithoutItsEnd) {
  const std::string text = "one 1\r\n\ntwo 2\nthree 3";
  const auto atoms = cut(text, ContentFormat::log);
  ASSERT_EQ(atoms.size(), 3U);
  EXPECT_EQ(text.substr(atoms[0].begin, atoms[0].end - atoms[0].begin), "one 1");
  EXPECT_TRUE(atoms[1].paragraph_start);
  EXPECT_FALSE(atoms[2].paragraph_start);
}

TEST(CutLinesTest, RowsNeedTheHeaderOfTheirTable) {
  for (const char* table : {"a,b,c\n1,2,3\n4,5,6\n", "a\tb\tc\n1\t2\t3\n4\t5\t6\n"}) {
    const auto atoms = cut(table, ContentFormat::table);
    ASSERT_EQ(atoms.size(), 3U);
    EXPECT_EQ(atoms[0].kind, AtomKind::frame);
    EXPECT_EQ(atoms[2].kind, AtomKind::row);
    EXPECT_EQ(atoms[2].open, 0U);
  }
}

TEST(CutLinesTest, TheRuleBelowAHeaderBelongsToIt) {
  const auto atoms = cut("| a | b |\n|---|---|\n| 1 | 2 |\n", ContentFormat::table);
  ASSERT_EQ(atoms.size(), 3U);
  EXPECT_EQ(atoms[1].kind, AtomKind::frame);
  EXPECT_EQ(atoms[1].open, 0U);
  EXPECT_EQ(atoms[2].open, 1U);
}

TEST(CutLinesTest, ALineOfADiffNeedsItsHunkAndAHunkItsFile) {
  const auto atoms =
      cut("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
          "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -9 +9 @@\n c\n",
          ContentFormat::diff);
  ASSERT_EQ(atoms.size(), 11U);
  EXPECT_EQ(atoms[3].open, 2U);
  EXPECT_EQ(atoms[5].open, 3U);
  EXPECT_EQ(atoms[9].open, 8U);
  EXPECT_EQ(atoms[10].open, 9U);
  EXPECT_TRUE(atoms[6].section_start);
}

TEST(CutLinesTest, ALongLineIsCutAtBlanks) {
  std::string line;
  for (int i = 0; i < 400; ++i) line += "word" + std::to_string(i) + " ";
  for (const Atom& atom : cut(line, ContentFormat::log)) {
    EXPECT_LE(atom.end - atom.begin, longest_atom_bytes + longest_atom_bytes / 4);
    EXPECT_EQ(line.substr(atom.begin, 4), "word");
  }
}

}  // namespace
}  // namespace ctxmgr::engine
