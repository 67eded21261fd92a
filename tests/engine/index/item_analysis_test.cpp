#include "engine/index/item_analysis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

ItemAnalysis analyze(std::string_view text, ContentFormat format = ContentFormat::automatic) {
  TermAnalyzer analyzer;
  ItemText item;
  item.text = text;
  item.format = format;
  return analyze_item(item, analyzer);
}

// How often a term stands in a chunk, by the postings.
float frequency(const ItemAnalysis& item, Term term, std::uint32_t chunk) {
  const auto found = std::lower_bound(item.terms.begin(), item.terms.end(), term);
  if (found == item.terms.end() || *found != term) return 0;
  const auto t = static_cast<std::size_t>(found - item.terms.begin());
  for (std::uint32_t p = item.posting_begin[t]; p < item.posting_begin[t + 1]; ++p)
    if (item.postings[p].chunk == chunk) return item.postings[p].frequency;
  return 0;
}

std::string paragraphs(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "The harbour of town number " + std::to_string(i) + " has a quay of stone and a lamp at its end.\n\n";
  return text;
}

TEST(ItemAnalysisTest, ChunksEndAtParagraphsOnceTheyAreLongEnough) {
  const ItemAnalysis item = analyze(paragraphs(80));
  ASSERT_GT(item.chunks.size(), 3U);
  for (const Chunk& chunk : item.chunks) {
    EXPECT_LE(item.atoms[chunk.last_atom - 1].end - item.atoms[chunk.first_atom].begin, 1700U);
    EXPECT_TRUE(item.atoms[chunk.first_atom].paragraph_start);
  }
}

TEST(ItemAnalysisTest, AHeadingStartsAChunkAndCountsForWhatIsUnderIt) {
  const std::string text = "# Pelicans\n" + paragraphs(9) + "# Herons\n" + paragraphs(30);
  const ItemAnalysis item = analyze(text);
  ASSERT_GT(item.chunks.size(), 2U);
  EXPECT_EQ(frequency(item, hash_term("heron"), static_cast<std::uint32_t>(item.chunks.size() - 1)), 2);
  EXPECT_EQ(frequency(item, hash_term("pelican"), static_cast<std::uint32_t>(item.chunks.size() - 1)), 0);
  EXPECT_EQ(frequency(item, hash_term("pelican"), 0), 1);
}

TEST(ItemAnalysisTest, AShortTurnIsOnePieceAndItsCallsAreForThemselves) {
  const std::string said = "I have to plan a party. It is on the 14th of June.\n- something small\n- no music";
  TermAnalyzer analyzer;
  ItemText item;
  item.text = said;
  item.speaker = Speaker::user;
  EXPECT_EQ(analyze_item(item, analyzer).atoms.size(), 1U);
  EXPECT_TRUE(analyze_item(item, analyzer).short_turn);
  const std::string calling = "assistant: " + said + "\n[call book({\"day\":14})]\n[call mail({})]";
  item.text = calling;
  item.label_bytes = 11;
  item.speaker = Speaker::assistant;
  const ItemAnalysis turn = analyze_item(item, analyzer);
  ASSERT_EQ(turn.atoms.size(), 3U);
  EXPECT_EQ(calling.substr(turn.atoms[0].begin, turn.atoms[0].end - turn.atoms[0].begin), said);
  item.speaker = Speaker::document;
  EXPECT_GT(analyze_item(item, analyzer).atoms.size(), 4U);
}

TEST(ItemAnalysisTest, AShortTurnIsMeasuredInCharacters) {
  std::string said;
  for (int i = 0; i < 100; ++i) said += "\u00E9t\u00E9.";
  TermAnalyzer analyzer;
  ItemText item;
  item.text = said;
  item.speaker = Speaker::user;
  EXPECT_TRUE(analyze_item(item, analyzer).short_turn);
  said += ".";
  item.text = said;
  EXPECT_FALSE(analyze_item(item, analyzer).short_turn);
  item.text = "  \n ";
  EXPECT_TRUE(analyze_item(item, analyzer).atoms.empty());
}

TEST(ItemAnalysisTest, LongHeadingsAndTitlesCountForTheirStartInEachChunk) {
  std::string heading;
  for (int i = 0; i < 90; ++i) heading += "w" + std::to_string(i) + " ";
  const std::string text = "# " + heading + "\n" + paragraphs(200);
  const ItemAnalysis item = analyze(text);
  const auto last = static_cast<std::uint32_t>(item.chunks.size() - 1);
  ASSERT_GT(last, 5U);
  EXPECT_EQ(frequency(item, hash_term("w0"), last), 2);
  EXPECT_EQ(frequency(item, hash_term("w89"), last), 0);
  EXPECT_EQ(frequency(item, hash_term("w89"), 0), 1);
  TermAnalyzer analyzer;
  ItemText named;
  const std::string body = paragraphs(200);
  std::string title;
  while (title.size() < 100'000) title += heading;
  named.text = body;
  named.title = title;
  EXPECT_LT(analyze_item(named, analyzer).title.size(), 512U);
}

TEST(ItemAnalysisTest, AClassIsNotCountedForEachOfItsFunctions) {
  std::string code = "class Pelican:\n";
  for (int i = 0; i < 60; ++i)
    code += "    def fly" + std::to_string(i) + "(self):\n        return " + std::to_string(i) + "\n\n";
  const ItemAnalysis item = analyze(code, ContentFormat::code);
  ASSERT_GT(item.chunks.size(), 3U);
  EXPECT_EQ(frequency(item, hash_term("pelican"), 0), 3);  // It is declared here.
  EXPECT_EQ(frequency(item, hash_term("pelican"), 2), 0);
}

TEST(ItemAnalysisTest, WhatCodeDeclaresCountsMoreThanWhatItCalls) {
  const ItemAnalysis item =
      analyze("int drain(int gate) {\n    flood(gate);\n    return gate;\n}\n", ContentFormat::code);
  EXPECT_EQ(frequency(item, hash_term("drain"), 0), 3);
  EXPECT_EQ(frequency(item, hash_term("flood"), 0), 1);
}

TEST(ItemAnalysisTest, AResultIsFoundByWhatWasAsked) {
  TermAnalyzer analyzer;
  ItemText item;
  item.text = "One quay and two lamps.";
  item.call = R"(describe({"harbour": "Skagen", "what": "quay"}))";
  const ItemAnalysis analysis = analyze_item(item, analyzer);
  EXPECT_EQ(frequency(analysis, hash_term("skagen"), 0), 2);
  EXPECT_EQ(frequency(analysis, hash_term("quay"), 0), 1);  // the result says that itself
}

TEST(ItemAnalysisTest, ACallThatWritesIsNotSearched) {
  TermAnalyzer analyzer;
  ItemText item;
  item.text = "Written.";
  const std::string call = R"(write({"text": "Skagen)" + std::string(600, ' ') + R"("}))";
  item.call = call;
  EXPECT_EQ(frequency(analyze_item(item, analyzer), hash_term("skagen"), 0), 0);
}

TEST(ItemAnalysisTest, ADeclarationStartsAChunk) {
  std::string text;
  for (const char* name : {"moor", "sail", "anchor"}) {
    text += "def " + std::string(name) + "(ship):\n";
    for (int i = 0; i < 16; ++i) text += "    ship.step(" + std::to_string(i) + ", again=True)\n";
    text += "\n";
  }
  const ItemAnalysis item = analyze(text, ContentFormat::code);
  ASSERT_EQ(item.chunks.size(), 3U);
  EXPECT_EQ(text.substr(item.atoms[item.chunks[1].first_atom].begin, 8), "def sail");
}

TEST(ItemAnalysisTest, ATitleIsFoundInEveryChunkWithoutItsFunctionWords) {
  TermAnalyzer analyzer;
  const std::string text = paragraphs(60);
  ItemText item;
  item.text = text;
  item.title = "The Lighthouse";
  const ItemAnalysis analysis = analyze_item(item, analyzer);
  EXPECT_EQ(analysis.title, std::vector<Term>{hash_term("lighthous")});
  for (std::uint32_t c = 0; c < analysis.chunks.size(); ++c)
    EXPECT_EQ(frequency(analysis, hash_term("lighthous"), c), 2);
}

TEST(ItemAnalysisTest, ALabelIsIndexedButNoAtom) {
  TermAnalyzer analyzer;
  ItemText item;
  item.text = "Marvin: The parcel left on Friday.";
  item.label_bytes = 8;
  const ItemAnalysis analysis = analyze_item(item, analyzer);
  ASSERT_EQ(analysis.atoms.size(), 1U);
  EXPECT_EQ(analysis.atoms[0].begin, 8U);
  EXPECT_EQ(frequency(analysis, hash_term("marvin"), 0), 1);
}

TEST(ItemAnalysisTest, EqualCallsHaveEqualKeys) {
  TermAnalyzer analyzer;
  ItemText item;
  item.text = "x";
  EXPECT_EQ(analyze_item(item, analyzer).call, 0U);
  item.call = "read(a)";
  const Term call = analyze_item(item, analyzer).call;
  EXPECT_EQ(analyze_item(item, analyzer).call, call);
  item.call = "read(b)";
  EXPECT_NE(analyze_item(item, analyzer).call, call);
}

TEST(ItemAnalysisTest, WordsAreStemmedInTheLanguageOfTheText) {
  const std::string german = "Die Häuser sind nicht in der Stadt, und die Brücken sind auch nicht dort. ";
  EXPECT_EQ(analyze(german).language, Language::german);
  EXPECT_EQ(frequency(analyze(german), hash_term("haus"), 0), 1);
  const std::string french = "Les maisons ne sont pas dans la ville et les ponts ne sont pas pour nous. ";
  EXPECT_EQ(frequency(analyze(french), hash_term("maison"), 0), 1);
  const std::string russian = "Книги не в доме, потому что они были у меня на работе, а это не так далеко. ";
  EXPECT_EQ(analyze(russian).language, Language::russian);
  EXPECT_EQ(frequency(analyze(russian), hash_term("книг"), 0), 1);
}

TEST(ItemAnalysisTest, TextWithoutBlanksBetweenWordsIsFoundByPairs) {
  EXPECT_EQ(frequency(analyze("データベース接続が失敗しました。"), hash_term("接続"), 0), 1);
}

RC_GTEST_PROP(ItemAnalysisPropertyTest, ChunksAndPostingsAccountForEveryAtomAndToken, ()) {
  const std::string text = *test::any_text();
  const ItemAnalysis item = analyze(text, *test::any_format());
  std::uint32_t next = 0;
  for (const Chunk& chunk : item.chunks) {
    RC_ASSERT(chunk.first_atom == next);
    RC_ASSERT(chunk.last_atom > chunk.first_atom);
    next = chunk.last_atom;
  }
  RC_ASSERT(next == item.atoms.size());
  RC_ASSERT(item.atom_token_begin.size() == item.atoms.size() + 1);
  RC_ASSERT(item.atom_token_begin.back() == item.tokens.size());
  for (std::uint32_t c = 0; c < item.chunks.size(); ++c) {
    std::map<std::uint32_t, float> counts;
    for (std::uint32_t k = item.atom_token_begin[item.chunks[c].first_atom];
         k < item.atom_token_begin[item.chunks[c].last_atom]; ++k)
      ++counts[item.tokens[k]];
    for (const auto& [term, count] : counts) RC_ASSERT(frequency(item, item.terms[term], c) >= count);
  }
}

}  // namespace
}  // namespace ctxmgr::engine
