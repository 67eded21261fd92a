#include "adapters/bpe/pretokenizer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ctxmgr::bpe {
namespace {

using Pieces = std::vector<std::string>;

template <SplitPattern pattern>
Pieces pieces_of(std::string_view text) {
  Pieces pieces;
  std::vector<std::string_view> views;
  std::set<std::string> repaired;
  split<pattern>(
      text,
      [&](std::string_view piece, bool stays) {
        if (stays)
          views.push_back(piece);
        else
          views.push_back(*repaired.insert(std::string(piece)).first);
        return true;
      },
      [&] { pieces.assign(views.begin(), views.end()); });
  return pieces;
}

template <SplitPattern pattern>
Pieces pieces_by_character(std::string_view text) {
  Pieces pieces;
  for (std::size_t pos = 0; pos < text.size();) {
    const auto [end, malformed] = piece_end_by_character<pattern>(text, pos);
    EXPECT_EQ(malformed, repair_utf8(text.substr(pos, end - pos)) != text.substr(pos, end - pos));
    pieces.push_back(repair_utf8(text.substr(pos, end - pos)));
    pos = end;
  }
  return pieces;
}

constexpr auto o200k = [](std::string_view text) { return pieces_of<SplitPattern::o200k>(text); };
constexpr auto cl100k = [](std::string_view text) { return pieces_of<SplitPattern::cl100k>(text); };
constexpr auto qwen = [](std::string_view text) { return pieces_of<SplitPattern::qwen>(text); };

TEST(PretokenizerTest, SplitsWordsWithTheSpaceBeforeThem) {
  EXPECT_EQ(cl100k("Hello wonderful world."), (Pieces{"Hello", " wonderful", " world", "."}));
  EXPECT_EQ(o200k("\tword (word)"), (Pieces{"\tword", " (", "word", ")"}));
  EXPECT_EQ(o200k("(word\nword"), (Pieces{"(word", "\n", "word"}));
}

TEST(PretokenizerTest, SplitsContractionsAsEachPatternSays) {
  EXPECT_EQ(cl100k("don't WE'LL x's"), (Pieces{"don", "'t", " WE", "'LL", " x", "'s"}));
  EXPECT_EQ(o200k("don't WE'LL x'z"), (Pieces{"don't", " WE'LL", " x", "'z"}));
  EXPECT_EQ(cl100k("'sabc"), (Pieces{"'s", "abc"}));
  EXPECT_EQ(o200k("a'ſ'mm"), (Pieces{"a'ſ", "'mm"}));
}

TEST(PretokenizerTest, SplitsAtCaseWithO200k) {
  EXPECT_EQ(o200k("camelCase HTTPServer ABCd"), (Pieces{"camel", "Case", " HTTPServer", " ABCd"}));
  EXPECT_EQ(o200k("漢AB"), (Pieces{"漢", "AB"}));
  EXPECT_EQ(o200k("漢ABc"), (Pieces{"漢ABc"}));
  EXPECT_EQ(o200k("\u0301AB"), (Pieces{"\u0301", "AB"}));
  EXPECT_EQ(o200k("\u0301Ab"), (Pieces{"\u0301Ab"}));
  EXPECT_EQ(o200k("e\u0301!\u0301"), (Pieces{"e\u0301", "!\u0301"}));
  EXPECT_EQ(cl100k("camelCase"), (Pieces{"camelCase"}));
}

TEST(PretokenizerTest, SplitsNumbers) {
  EXPECT_EQ(o200k("12345 678"), (Pieces{"123", "45", " ", "678"}));
  EXPECT_EQ(qwen("123"), (Pieces{"1", "2", "3"}));
  EXPECT_EQ(cl100k("1١2Ⅻ"), (Pieces{"1١2", "Ⅻ"}));
}

TEST(PretokenizerTest, SplitsWhiteSpace) {
  EXPECT_EQ(o200k("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(o200k("a \n\n  b  "), (Pieces{"a", " \n\n", " ", " b", "  "}));
  EXPECT_EQ(o200k("a\u3000\u3000b"), (Pieces{"a", "\u3000", "\u3000b"}));
  EXPECT_EQ(cl100k("a\n  "), (Pieces{"a", "\n", "  "}));
}

TEST(PretokenizerTest, SplitsSymbolsWithLineEnds) {
  EXPECT_EQ(cl100k("};\n\n//x"), (Pieces{"};\n\n", "//", "x"}));
  EXPECT_EQ(o200k("};\n//x"), (Pieces{"};\n//", "x"}));
  EXPECT_EQ(o200k(" ...\r\n"), (Pieces{" ...\r\n"}));
}

TEST(PretokenizerTest, SplitsWhatIsNotUtf8AsWhatItStandsFor) {
  EXPECT_EQ(o200k("ab \xFF!"), (Pieces{"ab", " \uFFFD!"}));
  EXPECT_EQ(o200k("\xBD\xE6\xBC\xA2"), (Pieces{"\uFFFD漢"}));
  EXPECT_EQ(o200k("漢\xE6\xBC"), (Pieces{"漢", "\uFFFD"}));
}

TEST(PretokenizerTest, StopsWhenToldTo) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += " word";
  int pieces = 0;
  const auto stop_at = [&](int limit) { return [&pieces, limit](std::string_view, bool) { return ++pieces < limit; }; };
  split<SplitPattern::o200k>(text, stop_at(3), [] {});
  EXPECT_EQ(pieces, 3);
  pieces = 0;
  split<SplitPattern::o200k>(text, stop_at(99), [] {});
  EXPECT_EQ(pieces, 99);
}

// A text of ASCII mostly, long enough for the paths that need room behind them.
std::string ascii_text() {
  static const std::string alphabet = "aaabzAAZZ019 \t\r\n\n  '/.-_(\x01\x7F\v";
  std::string text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
  if (*rc::gen::inRange(0, 4) == 0)
    text.insert(text.size() / 2, *rc::gen::element("ſ", "é", "漢", "\u00A0", "١", "\u0301"));
  text.resize(text.size() + static_cast<std::size_t>(*rc::gen::inRange(0, 40)), *rc::gen::elementOf(alphabet));
  return text;
}

template <SplitPattern pattern>
void expect_paths_agree(const std::string& text) {
  RC_ASSERT(pieces_of<pattern>(text) == pieces_by_character<pattern>(text));
}

RC_GTEST_PROP(PretokenizerTest, FastPathsAgreeWithReadingByCharacter, ()) {
  const std::string text = ascii_text();
  expect_paths_agree<SplitPattern::o200k>(text);
  expect_paths_agree<SplitPattern::cl100k>(text);
  expect_paths_agree<SplitPattern::qwen>(text);
}

RC_GTEST_PROP(PretokenizerTest, PathsAgreeOnAnyBytes, (const std::string& bytes)) {
  RC_ASSERT(pieces_of<SplitPattern::o200k>(bytes) == pieces_of<SplitPattern::o200k>(repair_utf8(bytes)));
  expect_paths_agree<SplitPattern::o200k>(bytes);
  expect_paths_agree<SplitPattern::cl100k>(bytes);
}

}  // namespace
}  // namespace ctxmgr::bpe
