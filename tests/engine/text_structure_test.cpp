#include "engine/text_structure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

std::vector<std::string> atoms(std::string_view text, ContentFormat format) {
  std::vector<std::string> result;
  for (const Atom& atom : analyze_structure(text, format).atoms)
    result.emplace_back(text.substr(atom.begin, atom.end - atom.begin));
  return result;
}

TEST(TextStructureTest, DetectsFormats) {
  EXPECT_EQ(detect_format(R"({"a": 1})"), ContentFormat::json);
  EXPECT_EQ(detect_format("{\"a\": 1}\n{\"a\": 2}\n"), ContentFormat::json);
  EXPECT_EQ(detect_format("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n"), ContentFormat::diff);
  EXPECT_EQ(detect_format("2024-01-01 10:00:00 INFO a\n2024-01-01 10:00:01 INFO b\n2024-01-01 10:00:02 INFO c\n"),
            ContentFormat::log);
  EXPECT_EQ(detect_format("a,b,c\n1,2,3\n4,5,6\n"), ContentFormat::table);
  EXPECT_EQ(detect_format("int f() {\n  return 1;\n}\n"), ContentFormat::code);
  EXPECT_EQ(detect_format("# Title\n\nSome text.\n"), ContentFormat::markdown);
  EXPECT_EQ(detect_format("Just a sentence."), ContentFormat::text);
  EXPECT_EQ(detect_format(""), ContentFormat::text);
}

TEST(TextStructureTest, ShortSentencesGoWithTheirNeighbours) {
  EXPECT_EQ(atoms("Thanks! The invoice came on Monday morning. Right.", ContentFormat::text),
            (std::vector<std::string>{"Thanks! The invoice came on Monday morning. Right."}));
  EXPECT_EQ(atoms("The invoice came on Monday morning. It was paid the day after that.", ContentFormat::text).size(),
            2U);
}

TEST(TextStructureTest, JsonIsCutBetweenMembers) {
  EXPECT_EQ(atoms(R"({"a": "x, y", "b": {"c": 1, "d": [2, 3]}})", ContentFormat::json),
            (std::vector<std::string>{R"("a": "x, y")", R"("b": {"c": 1)", R"("d": [2, 3)"}));
}

TEST(TextStructureTest, LinesOfAFenceNeedItsFences) {
  const TextStructure structure = analyze_structure("Text.\n```\none();\ntwo();\n```\n", ContentFormat::markdown);
  ASSERT_EQ(structure.atoms.size(), 5U);
  EXPECT_EQ(structure.atoms[2].open, 1U);
  EXPECT_EQ(structure.atoms[2].close, 4U);
}

TEST(TextStructureTest, RowsNeedTheirHeader) {
  const TextStructure structure = analyze_structure("a,b,c\n1,2,3\n4,5,6\n", ContentFormat::table);
  ASSERT_EQ(structure.atoms.size(), 3U);
  EXPECT_EQ(structure.atoms[2].open, 0U);
  EXPECT_EQ(structure.atoms[2].kind, AtomKind::row);
}

TEST(TextStructureTest, ALongLineIsCutAtBlanks) {
  std::string line;
  for (int i = 0; i < 400; ++i) line += "word" + std::to_string(i) + " ";
  for (const std::string& atom : atoms(line, ContentFormat::log)) {
    EXPECT_LE(atom.size(), longest_atom_bytes + longest_atom_bytes / 4);
    EXPECT_EQ(atom.substr(0, 4), "word");
  }
}

}  // namespace
}  // namespace ctxmgr::engine
