#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/pieces.hpp"

namespace ctxmgr::engine {
namespace {

// The lines at which sections start.
std::vector<std::string> sections(std::string_view text) {
  std::vector<Atom> atoms;
  cut_code(text, atoms);
  std::vector<std::string> starts;
  for (const Atom& atom : atoms)
    if (atom.section_start) starts.emplace_back(text.substr(atom.begin, atom.end - atom.begin));
  return starts;
}

using Lines = std::vector<std::string>;

TEST(CutCodeTest, EveryLineIsAnAtomWithoutItsIndent) {
  std::vector<Atom> atoms;
  const std::string text = "def f():\n    return 1\r\n\n";
  cut_code(text, atoms);
  ASSERT_EQ(atoms.size(), 2U);
  EXPECT_EQ(text.substr(atoms[1].begin, atoms[1].end - atoms[1].begin), "return 1");
  EXPECT_EQ(atoms[1].kind, AtomKind::line);
}

TEST(CutCodeTest, CodeAtTheMarginStartsABlock) {
  std::vector<Atom> atoms;
  cut_code("int f() {\n  return 1;\n}\nint g();\n", atoms);
  ASSERT_EQ(atoms.size(), 4U);
  EXPECT_FALSE(atoms[1].paragraph_start);
  EXPECT_FALSE(atoms[2].paragraph_start);
  EXPECT_TRUE(atoms[3].paragraph_start);
}

TEST(CutCodeTest, ADeclarationWithABodyStartsASection) {
  EXPECT_EQ(sections("import os\n\ndef f():\n    return 1\n\nx = 2\n"), Lines{"def f():"});
  EXPECT_EQ(sections("class A:\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n"),
            (Lines{"class A:", "def f(self):", "def g(self):"}));
}

TEST(CutCodeTest, WhatStandsAboveADeclarationBelongsToItsSection) {
  EXPECT_EQ(sections("x = 1\n\n# Adds.\n@cached\ndef f():\n    return 1\n"), Lines{"# Adds."});
}

TEST(CutCodeTest, ABraceOnALineOfItsOwnDoesNotHideTheBody) {
  EXPECT_EQ(sections("static int f(void)\n{\n    return 1;\n}\n"), Lines{"static int f(void)"});
}

TEST(CutCodeTest, AFormFeedIsABlankLine) {
  std::vector<Atom> atoms;
  cut_code("a = 1\n\f\nb = 2", atoms);
  ASSERT_EQ(atoms.size(), 2U);
  EXPECT_TRUE(atoms[1].paragraph_start);
}

TEST(CutCodeTest, WhatFollowsBracketsIsTheSameForAllOfThem) {
  EXPECT_EQ(sections("f()\n{\n\n{\n\n  x\n}\n\ng()\n\n}\n\n  y\nh()\n"), (Lines{"f()", "{", "g()", "}"}));
}

// Each line with the declaration that it stands under.
Lines under(std::string_view text) {
  std::vector<Atom> atoms;
  cut_code(text, atoms);
  Lines result;
  for (const Atom& atom : atoms) {
    const auto shown = [&](const Atom& a) { return std::string(text.substr(a.begin, a.end - a.begin)); };
    result.push_back((atom.heading == no_atom ? "" : shown(atoms[atom.heading]) + " > ") + shown(atom));
  }
  return result;
}

TEST(CutCodeTest, WhatEndsInAnOpeningBracketOpensWhatIsIndented) {
  EXPECT_EQ(under("CREATE TABLE fees (\n    id integer,\n    fee integer\n);\n")[1],
            "CREATE TABLE fees ( > id integer,");
  EXPECT_EQ(under(".quay {\n  color: red;\n}\n")[1], ".quay { > color: red;");
  EXPECT_EQ(under("match level {\n    1 => open(),\n}\n")[1], "match level { > 1 => open(),");
  EXPECT_EQ(under("x = f(\na)\n")[1], "a)");  // Nothing is indented below it.
}

TEST(CutCodeTest, ALineStandsUnderItsFunctionAndThatUnderItsClass) {
  EXPECT_EQ(
      under("class Pump:\n    def start(self):\n        self.on = 1\n\n    def stop(self):\n        pass\nx = 2\n"),
      (Lines{"class Pump:", "class Pump: > def start(self):", "def start(self): > self.on = 1",
             "class Pump: > def stop(self):", "def stop(self): > pass", "x = 2"}));
  EXPECT_EQ(under("static int f(void)\n{\n  if (x) {\n    g();\n  }\n}\nint y;\n"),
            (Lines{"static int f(void)", "static int f(void) > {", "static int f(void) > if (x) {", "if (x) { > g();",
                   "if (x) { > }", "if (x) { > }", "int y;"}));
}

TEST(CutCodeTest, NumbersInFrontOfLinesAreNoCode) {
  EXPECT_EQ(under("  7\tdef f():\n  8\t    return 1\n  9\t\n 10\tx = 2\n"),
            (Lines{"7\tdef f():", "7\tdef f(): > 8\t    return 1", "9", "10\tx = 2"}));
}

TEST(CutCodeTest, DeclarationsAreFollowedToABoundedDepth) {
  std::string text;
  for (std::size_t i = 0; i < 40; ++i) text += std::string(i, ' ') + "def f" + std::to_string(i) + "():\n";
  std::vector<Atom> atoms;
  cut_code(text, atoms);
  std::size_t depth = 0;
  for (std::uint32_t h = atoms.back().heading; h != no_atom; h = atoms[h].heading) ++depth;
  EXPECT_EQ(depth, 8U);
}

Lines code_pieces(std::string_view text) {
  std::vector<Atom> atoms;
  cut_code(text, atoms);
  return pieces_of(text, atoms);
}

TEST(CutCodeTest, ACommentGoesOnOverItsLines) {
  EXPECT_EQ(code_pieces("// Opens the door, which may\n// take a second.\nvoid open();\n"),
            (Lines{"// Opens the door, which may\n// take a second.", "void open();"}));
  EXPECT_EQ(
      code_pieces("/*\n** Calling this with zero\n** turns it off.\n**\n** See also: on.\n*/\nint off(int);\n"),
      (Lines{"/*", "** Calling this with zero\n** turns it off.", "**", "** See also: on.", "*/", "int off(int);"}));
  EXPECT_EQ(code_pieces("# Opens it\n# slowly.\ndef open():\n    pass\n"),
            (Lines{"# Opens it\n# slowly.", "def open():", "pass"}));
}

TEST(CutCodeTest, ATagStandsAlone) {
  EXPECT_EQ(code_pieces(" * Opens the\n * door.\n * @param how the way\n * \\return what\n"),
            (Lines{"* Opens the\n * door.", "* @param how the way", "* \\return what"}));
}

TEST(CutCodeTest, AnEndlessCommentIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "// line " + std::to_string(i) + " of many\n";
  for (const std::string& piece : code_pieces(text)) EXPECT_LE(piece.size(), longest_atom_bytes);
}

TEST(CutCodeTest, TheNameOfASectionStandsAboveItsSettings) {
  std::vector<Atom> atoms;
  cut_code("[server.one]\nport = 80\nhosts = [\"a\"]\n\n[[rules]]\nname = \"x\"\n", atoms);
  ASSERT_EQ(atoms.size(), 5U);
  EXPECT_EQ(atoms[0].kind, AtomKind::heading);
  EXPECT_EQ(atoms[1].heading, 0U);
  EXPECT_EQ(atoms[2].heading, 0U);
  EXPECT_EQ(atoms[3].kind, AtomKind::heading);
  EXPECT_EQ(atoms[4].heading, 3U);
  atoms.clear();
  cut_code("[[nodiscard]]\nint twice(int x);\n[Fact]\nint y = 1;\n[", atoms);
  for (const Atom& atom : atoms) EXPECT_EQ(atom.heading, no_atom);
}

TEST(CutCodeTest, TextInABlockCommentGoesOnOverTheEndsOfItsLines) {
  std::vector<Atom> atoms;
  const std::string text =
      "/*\n   Closes the file and\n   frees its memory.\n\n   Returns nothing.\n*/\nvoid close(void);\n"
      "def f():\n    \"\"\"Adds.\n\n    Both may be\n    negative.\n\n    >>> f(1)\n    \"\"\"\n    return one\n";
  cut_code(text, atoms);
  EXPECT_EQ(pieces_of(text, atoms),
            (Lines{"/*", "Closes the file and\n   frees its memory.", "Returns nothing.", "*/", "void close(void);",
                   "def f():", "\"\"\"Adds.", "Both may be\n    negative.", ">>> f(1)", "\"\"\"", "return one"}));
}

}  // namespace
}  // namespace ctxmgr::engine
