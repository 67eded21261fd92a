#include "adapters/bpe/piece_encoder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "adapters/bpe/embedded.hpp"
#include "support/naive_bpe.hpp"

namespace ctxmgr::bpe {
namespace {

const Vocabulary& vocabulary() {
  static const Tokenizer tokenizer = load_embedded("cl100k_base").value();
  return tokenizer.vocabulary;
}

const NaiveBpe& naive() {
  static const NaiveBpe encoder(vocabulary());
  return encoder;
}

std::vector<Rank> encode(std::string_view piece) {
  static PairMemo memo;
  PieceEncoder encoder(vocabulary(), memo);
  const auto tokens = encoder.encode(piece, piece.data() + piece.size());
  return {tokens.begin(), tokens.end()};
}

void expect_as_defined(const std::string& piece) { RC_ASSERT(encode(piece) == naive().encode(piece)); }

RC_GTEST_PROP(PieceEncoderTest, EncodesAnyBytesAsDefined, (const std::string& bytes)) { expect_as_defined(bytes); }

RC_GTEST_PROP(PieceEncoderTest, EncodesLettersAsDefined, ()) {
  expect_as_defined(*rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
}

RC_GTEST_PROP(PieceEncoderTest, EncodesTheSameFewLettersAsDefined, ()) {
  expect_as_defined(*rc::gen::container<std::string>(rc::gen::elementOf(std::string("aab-e "))));
}

RC_GTEST_PROP(PieceEncoderTest, EncodesJoinedTokensAsDefined, ()) {
  std::string text;
  for (const auto rank : *rc::gen::container<std::vector<Rank>>(rc::gen::inRange<Rank>(0, 100'256))) {
    if (text.size() < 300) vocabulary().append_text(rank, text);
  }
  expect_as_defined(text);
}

TEST(PieceEncoderTest, EncodesLongRunsOfOneCharacterAsDefined) {
  for (const std::string piece : {"a", " ", "\n", "-", "漢", "="}) {
    std::string run;
    while (run.size() < 400) {
      run += piece;
      EXPECT_EQ(encode(run), naive().encode(run)) << run.size();
    }
  }
}

TEST(PieceEncoderTest, TokensStayApartOnlyIfTheirTextsDoNotMerge) {
  EXPECT_FALSE(stay_apart(vocabulary(), encode("a")[0], encode("b")[0]));
  const auto tokens = encode("strawberry");
  ASSERT_GT(tokens.size(), 1U);
  EXPECT_TRUE(stay_apart(vocabulary(), tokens[0], tokens[1]));
}

}  // namespace
}  // namespace ctxmgr::bpe
