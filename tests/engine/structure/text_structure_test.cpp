#include "engine/structure/text_structure.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/utf8.hpp"
#include "engine/structure/pieces.hpp"
#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

std::vector<std::string> atoms(std::string_view text, ContentFormat format) {
  return pieces_of(text, analyze_structure(text, format).atoms);
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

TEST(TextStructureTest, CodeIsRecognisedWithoutSemicolons) {
  EXPECT_EQ(detect_format("limit = 5\n\nclass Queue:\n    def push(self, x):\n        self.items.append(x)\n"),
            ContentFormat::code);
}

TEST(TextStructureTest, WhatIsIndentedInABracketIsCode) {
  EXPECT_EQ(detect_format("CREATE TABLE cranes (\n  crane_id bigint,\n  harbour text,\n  lifts numeric\n);\n"),
            ContentFormat::code);
  EXPECT_EQ(detect_format("He asked who came (\nand who went).\n  Nobody knew.\n  Nobody asked.\n"),
            ContentFormat::text);
}

TEST(TextStructureTest, NamesOfTestsAreNoCode) {
  std::string report;
  for (int i = 0; i < 20; ++i) report += "tests/crane_test.py::test_lift_" + std::to_string(i) + " PASSED\n";
  EXPECT_EQ(detect_format(report + "tests/crane_test.py::test_turn FAILED\n"), ContentFormat::text);
  EXPECT_EQ(detect_format("std::string name(int i);\nusing a::b;\nx::y z{1};\n"), ContentFormat::code);
}

TEST(TextStructureTest, ProseWithIndentedExamplesIsNoCode) {
  EXPECT_NE(detect_format("Open the file first, then read from it:\n\n    f = open(name)\n    text = f.read()\n"
                          "    f.close()\n\nNothing else is needed here.\n"),
            ContentFormat::code);
}

TEST(TextStructureTest, OnlyWhatAParserTakesIsJson) {
  EXPECT_EQ(detect_format("[ Scene : The pier . \"Blue Whale\" lies there . ]"), ContentFormat::text);
  EXPECT_EQ(detect_format("[main] INFO \"up\"\n[main] INFO retry\n[main] INFO done [exit 1]"), ContentFormat::log);
  EXPECT_NE(detect_format("[{'id': 1, 'name': \"O'Hara\"}]"), ContentFormat::json);
  EXPECT_NE(detect_format("{ SELECT \"id\" FROM orders; }"), ContentFormat::json);
  EXPECT_EQ(detect_format("\n [] \n"), ContentFormat::json);
}

TEST(TextStructureTest, CallsOfAMessageAreNoCode) {
  const char* text = "I look both of them up.\n[call find(a)]\n[call find(b)]\n[call find(c)]\n";
  EXPECT_EQ(analyze_structure(text, ContentFormat::automatic).format, ContentFormat::text);
}

TEST(TextStructureTest, ATableIsRecognisedByItsColumns) {
  EXPECT_EQ(detect_format("NAME     READY  STATUS\nweb-1    1/1    Running\ndb       0/1    Pending\n"),
            ContentFormat::table);
  EXPECT_EQ(detect_format("code\tcountry\nFR\tFrance\nDE\tGermany\n"), ContentFormat::table);
  EXPECT_EQ(detect_format("name,owner,city\na,\"Smith, Ann\",Rome\nb,\"Hill, Bo\",Oslo\n"), ContentFormat::table);
  EXPECT_NE(detect_format("Two  spaces  after\neach word of one line\nmake no table of it\n"), ContentFormat::table);
}

TEST(TextStructureTest, APageWithATableIsNoTable) {
  const std::string rows = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |\n";
  EXPECT_EQ(detect_format(rows), ContentFormat::table);
  EXPECT_NE(detect_format("Sales of the year\n\n" + rows), ContentFormat::table);
}

TEST(TextStructureTest, TheRuleOfATableHasNothingButMarks) {
  EXPECT_TRUE(is_table_rule("|---|:-:|"));
  EXPECT_FALSE(is_table_rule("| | |"));
  EXPECT_FALSE(is_table_rule("| - | x |"));
}

TEST(TextStructureTest, NumbersInFrontOfLinesAreAGutterWhereTheyCount) {
  EXPECT_EQ(gutter_of("   12\tint x;"), 6U);
  EXPECT_EQ(gutter_of("12 int x;"), 0U);
  EXPECT_EQ(gutter_of("\tint x;"), 0U);
  EXPECT_EQ(gutter_of("123456789\tx"), 0U);
  EXPECT_EQ(detect_format("  9\tint f() {\n 10\t  return 1;\n 11\t}\n"), ContentFormat::code);
  EXPECT_EQ(detect_format("4\tRome\n9\tOslo\n16\tTurku\n"), ContentFormat::table);
}

TEST(TextStructureTest, ALineThatOpensABlockDeclares) {
  EXPECT_TRUE(is_declaration("  def f(x):"));
  EXPECT_TRUE(is_declaration("int main(int argc)"));
  EXPECT_FALSE(is_declaration("  if (x) {"));
  EXPECT_FALSE(is_declaration("f(x);"));
}

TEST(TextStructureTest, EachFormatHasItsCutter) {
  EXPECT_EQ(atoms("{\"a\": 1, \"b\": 2}", ContentFormat::automatic).size(), 2U);
  EXPECT_EQ(atoms("one\ntwo\n", ContentFormat::code).size(), 2U);
  EXPECT_EQ(atoms("This is one of two long sentences. This is the other of the two.", ContentFormat::text).size(), 2U);
  EXPECT_EQ(atoms("This is one of two long sentences. This is the other of the two.", ContentFormat::log).size(), 1U);
}

// Bytes between atoms: blanks and, in JSON, its punctuation.
bool is_between(char c, ContentFormat format) {
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') return true;
  return format == ContentFormat::json && std::string_view("{}[],:").find(c) != std::string_view::npos;
}

RC_GTEST_PROP(TextStructurePropertyTest, AtomsOfAnyTextMapBackToItAndMissNothing, ()) {
  const std::string text = *test::any_text();
  const TextStructure structure = analyze_structure(text, *test::any_format());
  RC_ASSERT(structure.format != ContentFormat::automatic);
  std::size_t end = 0;
  for (const Atom& atom : structure.atoms) {
    RC_ASSERT(atom.begin >= end);
    RC_ASSERT(atom.end > atom.begin);
    for (std::size_t i = end; i < atom.begin; ++i) RC_ASSERT(is_between(text[i], structure.format));
    RC_ASSERT(utf8::floor_boundary(text, atom.begin) == atom.begin);
    RC_ASSERT(utf8::floor_boundary(text, atom.end) == atom.end);
    end = atom.end;
    for (const std::uint32_t frame : {atom.open, atom.close})
      if (frame != no_atom) RC_ASSERT(structure.atoms.at(frame).kind == AtomKind::frame);
    if (atom.heading != no_atom) RC_ASSERT(structure.atoms.at(atom.heading).begin < atom.begin);
  }
  RC_ASSERT(end <= text.size());
  for (std::size_t i = end; i < text.size(); ++i) RC_ASSERT(is_between(text[i], structure.format));
}

// A text of JSON values between which nothing is ambiguous.
rc::Gen<std::string> any_json() {
  const auto scalar =
      rc::gen::element<std::string>("1", "-2.5e3", "true", "null", "\"a, b\"", "\"}{][\"", "\"\\\"\\\\\"",
                                    "\"\\u00e4\"", "\"日本語\"", "{\"k\": [1, {\"x\": \"y\"}]}", "[]", "{}");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(scalar),
                      [](const std::vector<std::string>& scalars) {
                        std::string json = "{\"list\": [";
                        for (const std::string& s : scalars) json += s + ", ";
                        for (std::size_t i = 0; i < scalars.size(); ++i)
                          json += "{\"k" + std::to_string(i) + "\": " + scalars[i] + "}, ";
                        return json + "0]}";
                      });
}

RC_GTEST_PROP(TextStructurePropertyTest, NoAtomEndsInsideAJsonToken, ()) {
  const std::string json = *any_json();
  std::vector<bool> inside(json.size() + 1, false);  // whether a cut here would be inside a string
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    inside[i] = in_string;
    if (in_string && json[i] == '\\') {
      inside[++i] = true;
    } else if (json[i] == '"') {
      in_string = !in_string;
    }
  }
  const auto is_word = [&json](std::size_t i) {
    return i < json.size() &&
           (std::isalnum(static_cast<unsigned char>(json[i])) != 0 || json[i] == '.' || json[i] == '-');
  };
  for (const Atom& atom : analyze_structure(json, ContentFormat::json).atoms) {
    for (const std::size_t cut : {std::size_t{atom.begin}, std::size_t{atom.end}}) {
      RC_ASSERT(!inside[cut]);
      RC_ASSERT(!(cut > 0 && is_word(cut - 1) && is_word(cut)));
    }
  }
}

RC_GTEST_PROP(TextStructurePropertyTest, RowsAndLinesAreWholeUnlessTheyAreTooLong, ()) {
  const std::string text = *test::any_text();
  const auto format =
      *rc::gen::element(ContentFormat::code, ContentFormat::log, ContentFormat::diff, ContentFormat::table);
  for (const Atom& atom : analyze_structure(text, format).atoms) {
    const std::size_t begin = text.rfind('\n', atom.begin) == std::string::npos ? 0 : text.rfind('\n', atom.begin) + 1;
    const std::size_t end = std::min(text.find('\n', atom.end), text.size());
    if (end - begin > longest_atom_bytes) continue;
    for (std::size_t i = begin; i < atom.begin; ++i) RC_ASSERT(is_between(text[i], format));
    for (std::size_t i = atom.end; i < end; ++i) RC_ASSERT(is_between(text[i], format));
  }
}

TEST(TextStructureTest, ALongCommentAtTheStartDoesNotHideTheCode) {
  std::string header = "/*\n";
  for (int i = 0; i < 200; ++i) header += "   Nobody is liable for any damage that comes of this, whatever it may be\n";
  header += "*/\n";
  for (int i = 0; i < 900; ++i) header += "int f" + std::to_string(i) + "(int x);\n";
  EXPECT_EQ(detect_format(header), ContentFormat::code);
}

TEST(TextStructureTest, SettingsAreCode) {
  EXPECT_EQ(
      detect_format("# Fees\n[Unit]\nDescription=Reads fees\n\n[Service]\nType=oneshot\nExecStart=/bin/fees --all=1\n"),
      ContentFormat::code);
  EXPECT_NE(detect_format("time=1 level=info\ntime=2 level=info\ntime=3 level=info\n"), ContentFormat::code);
}

TEST(TextStructureTest, RowsMayLeaveOutTheirLastCells) {
  EXPECT_EQ(detect_format("version,name,from,to\n1,Buzz,1993,1997\n2,Rex,1996\n3,Bo,1997,1999\n"),
            ContentFormat::table);
  EXPECT_NE(detect_format("Fees, tolls, dues and taxes.\nRates, tolls and dues.\nFees, tolls and more.\n"),
            ContentFormat::table);
}

}  // namespace
}  // namespace ctxmgr::engine
