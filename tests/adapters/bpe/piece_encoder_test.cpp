#include "adapters/bpe/piece_encoder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "adapters/bpe/cl100k.hpp"
#include "support/naive_bpe.hpp"
#include "support/sanitizers.hpp"

namespace ctxmgr::bpe {
namespace {

const NaiveBpe& naive() {
  static const NaiveBpe encoder(cl100k_vocabulary());
  return encoder;
}

std::vector<Rank> encode(std::string_view piece) {
  if (piece.empty()) return {};
  const std::string padded = std::string(piece) + "????????";
  PieceEncoder encoder(cl100k_vocabulary());
  const auto tokens = encoder.encode(std::string_view(padded).substr(0, piece.size()));
  std::vector<Rank> ranks(tokens.begin(), tokens.end());
  if (ranks.size() > 1) {
    EXPECT_EQ(encoder.count_merged(std::string_view(padded).substr(0, piece.size())), ranks.size());
  }
  return ranks;
}

void expect_as_defined(const std::string& piece) { RC_ASSERT(encode(piece) == naive().encode(piece)); }

RC_GTEST_PROP(PieceEncoderTest, EncodesAnyBytesAsDefined, (const std::string& bytes)) { expect_as_defined(bytes); }

RC_GTEST_PROP(PieceEncoderTest, EncodesLettersAsDefined, ()) {
  expect_as_defined(*rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
}

RC_GTEST_PROP(PieceEncoderTest, EncodesTheSameFewLettersAsDefined, ()) {
  expect_as_defined(*rc::gen::container<std::string>(rc::gen::elementOf(std::string("aab-e "))));
}

RC_GTEST_PROP(PieceEncoderTest, EncodesRunsOfBlanksAsDefined, ()) {
  static const std::vector<std::string> blanks{" ", "\t", "\n", "\r", "\xC2\xA0", "\xE3\x80\x80", "\xE2\x80\x83"};
  std::string text;
  const auto runs = *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, blanks.size()), rc::gen::inRange<std::size_t>(1, 150)));
  for (const auto& [blank, count] : runs) {
    for (std::size_t i = 0; i < count && text.size() < 600; ++i) text += blanks[blank];
  }
  expect_as_defined(text);
}

TEST(PieceEncoderTest, EncodesARunOfOneByteOfAnyLengthAsDefined) {
  for (const char byte : {' ', '\t', '\n', '=', '-', 'a', '\0'}) {
    for (std::size_t length = 1; length <= 400; length += length < 140 ? 1 : 37) {
      const std::string text(length, byte);
      EXPECT_EQ(encode(text), naive().encode(text)) << static_cast<int>(byte) << " x " << length;
    }
  }
}

RC_GTEST_PROP(PieceEncoderTest, EncodesJoinedTokensAsDefined, ()) {
  std::string text;
  for (const auto rank : *rc::gen::container<std::vector<Rank>>(rc::gen::inRange<Rank>(0, 100'256))) {
    if (text.size() < 300) text += cl100k_vocabulary().text_of(rank);
  }
  expect_as_defined(text);
}

RC_GTEST_PROP(PieceEncoderTest, EncodesJoinedLongTokensAsDefined, ()) {
  static const auto ranks = [] {
    std::vector<Rank> all;
    for (Rank rank = 256; rank < 100'256; ++rank) {
      if (cl100k_vocabulary().text_of(rank).size() > 20) all.push_back(rank);
    }
    return all;
  }();
  std::string text;
  for (const auto i : *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, ranks.size()))) {
    if (text.size() < 400) text += cl100k_vocabulary().text_of(ranks[i]);
  }
  expect_as_defined(text);
}

// Characters that become tokens of their own and such that do not, beside what their parts merge with.
RC_GTEST_PROP(PieceEncoderTest, EncodesCharactersOfManyScriptsAsDefined, ()) {
  static const std::vector<std::string> parts = {"的", "选", "択", "数", "テ", "ー",   "フ",   "스",
                                                 "다", "о",  "а",  "п",  "ا",  "و",    "ि",    "क",
                                                 "é",  "😀",  " ",  "a",  "。", "\x80", "\xE9", "\xBD"};
  std::string text;
  for (const auto i : *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, parts.size()))) {
    text += parts[i];
  }
  expect_as_defined(text);
}

// Merging by the definition is quadratic, and instrumented a hundred times slower: then not every length.
constexpr std::size_t stride = CTXMGR_INSTRUMENTED ? 13 : 1;

TEST(PieceEncoderTest, EncodesWhatIsLongerThanAWindowAsDefined) {
  std::string text;
  for (std::uint32_t random = 1; text.size() < 700;) {
    random = random * 1'664'525U + 1'013'904'223U;
    text += static_cast<char>('a' + (random >> 16U) % 26);
    if (text.size() > 60 && text.size() % stride == 0) {
      EXPECT_EQ(encode(text), naive().encode(text)) << text.size();
    }
  }
}

TEST(PieceEncoderTest, EncodesLongRunsOfOneCharacterAsDefined) {
  for (const std::string piece : {"a", " ", "\n", "-", "漢", "="}) {
    std::string run;
    while (run.size() < 400) {
      run += piece;
      if (run.size() % stride == 0) {
        EXPECT_EQ(encode(run), naive().encode(run)) << run.size();
      }
    }
  }
}

// In a window, " |" and dashes are two tokens; all dashes and the end of the line are one, together with " |".
TEST(PieceEncoderTest, ALongerWindowMayBeginWithWhatMergesWithTheOneBefore) {
  for (const std::size_t dashes : {70, 74, 80, 150}) {
    const std::string text = "telephonedocument firstcedure |" + std::string(dashes, '-') + "\n";
    EXPECT_EQ(encode(text), naive().encode(text)) << dashes;
  }
}

TEST(PieceEncoderTest, TokensStayApartOnlyIfTheirTextsDoNotMerge) {
  EXPECT_FALSE(cl100k_vocabulary().stay_apart(encode("a")[0], encode("b")[0]));
  const auto tokens = encode("strawberry");
  ASSERT_GT(tokens.size(), 1U);
  EXPECT_TRUE(cl100k_vocabulary().stay_apart(tokens[0], tokens[1]));
}

}  // namespace
}  // namespace ctxmgr::bpe
