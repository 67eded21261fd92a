#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

std::vector<Atom> cut_as_diff(std::string_view text) {
  std::vector<Atom> atoms;
  cut_diff(text, atoms);
  return atoms;
}

TEST(CutDiffTest, LinesOfADiffNeedTheHeaderOfTheirHunk) {
  const auto atoms = cut_as_diff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n c\n");
  ASSERT_EQ(atoms.size(), 8U);
  EXPECT_EQ(atoms[5].open, 3U);
  EXPECT_EQ(atoms[7].open, 6U);
  EXPECT_TRUE(atoms[6].paragraph_start);
}

TEST(CutDiffTest, AHunkNeedsTheFileThatItIsOf) {
  const auto atoms = cut_as_diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n+b\n");
  ASSERT_EQ(atoms.size(), 8U);
  EXPECT_EQ(atoms[2].open, 1U);
  EXPECT_EQ(atoms[6].open, 5U);
}

TEST(CutDiffTest, AFileNeedsTheLineThatNamesItsChange) {
  const std::string text =
      "commit 1a2b\nAuthor: A\n\n    Fees rise.\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
      "commit 3c4d\nAuthor: B\n\n    Fees fall.\n\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n";
  const auto atoms = cut_as_diff(text);
  ASSERT_EQ(atoms.size(), 18U);
  EXPECT_EQ(atoms[2].open, 0U);   // "Fees rise." under its commit,
  EXPECT_EQ(atoms[5].open, 0U);   // "+++ b/x", too,
  EXPECT_EQ(atoms[8].open, 6U);   // and "+b" under its hunk.
  EXPECT_EQ(atoms[11].open, 9U);  // "Fees fall." under the second commit.
  EXPECT_EQ(atoms[14].open, 9U);
  EXPECT_TRUE(atoms[9].section_start);
}

TEST(CutDiffTest, WhatStandsBehindAPatchIsOfNone) {
  const auto atoms = cut_as_diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n");
  ASSERT_EQ(atoms.size(), 7U);
  EXPECT_EQ(atoms[4].open, 2U);
  EXPECT_EQ(atoms[5].open, no_atom);
  EXPECT_EQ(atoms[6].open, no_atom);
}

TEST(CutDiffTest, ALineThatWasTakenOutIsNoHeader) {
  const auto atoms = cut_as_diff("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n--- the fees\n select 1;\n");
  ASSERT_EQ(atoms.size(), 5U);
  EXPECT_EQ(atoms[3].kind, AtomKind::line);
  EXPECT_EQ(atoms[3].open, 2U);
}

}  // namespace
}  // namespace ctxmgr::engine
