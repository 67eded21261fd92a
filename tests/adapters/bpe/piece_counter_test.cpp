#include "adapters/bpe/piece_counter.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "adapters/bpe/cl100k.hpp"

namespace ctxmgr::bpe {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

std::int64_t tokens_of(std::string_view piece) {
  return static_cast<std::int64_t>(PieceEncoder(cl100k_vocabulary()).encode(piece).size());
}

TEST(PieceCounterTest, AddsUpPiecesOfEveryLengthForgottenAndRemembered) {
  std::string text;
  while (text.size() < 300) text += "abcdefghijklmnopqrstuvwxyz";
  PieceMemo memo;
  for (int round = 0; round < 3; ++round) {
    PieceCounter counter(cl100k_vocabulary(), memo, no_limit);
    std::int64_t expected = 0;
    for (std::size_t bytes = 1; bytes <= text.size(); ++bytes) {
      counter.add(std::string_view(text).substr(0, bytes));
      expected += tokens_of(std::string_view(text).substr(0, bytes));
    }
    EXPECT_EQ(counter.total(), expected);
  }
}

TEST(PieceCounterTest, AddsUpThePartsOfPiecesThatAreNotAscii) {
  const std::string text = "東京都に住んでいる人々は、毎日電車で通勤しています。";
  PieceMemo memo;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t bytes = 3; bytes <= text.size(); bytes += 3) {
      const std::string padded = text.substr(0, bytes) + std::string(8, '\0');
      PieceCounter counter(cl100k_vocabulary(), memo, no_limit);
      counter.add(std::string_view(padded).substr(0, bytes));
      EXPECT_EQ(counter.total(), tokens_of(std::string_view(padded).substr(0, bytes)));
    }
  }
}

// The last part of a piece may be shorter than what is read at once: sanitizers see what is read behind it.
TEST(PieceCounterTest, ReadsNothingBehindAPiece) {
  std::string text = "東京都に住んでいる人々は毎日電車で通勤しています";
  text += "ԨԨԨԨԖԨԨԨʡᔨԨԨԨԨԨԨ";
  for (int i = 0; i < 12; ++i) text += "Ԩ";
  for (std::size_t bytes = 9; bytes <= text.size(); ++bytes) {
    if (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) continue;
    const std::vector<char> exact(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bytes));
    PieceMemo memo;
    PieceCounter counter(cl100k_vocabulary(), memo, no_limit);
    counter.add({exact.data(), exact.size()});
    EXPECT_EQ(counter.total(), tokens_of({exact.data(), exact.size()})) << bytes;
  }
}

TEST(PieceCounterTest, TellsWhenItIsAboveTheLimit) {
  PieceMemo memo;
  PieceCounter counter(cl100k_vocabulary(), memo, 20);
  const std::string text = "word and room behind it";
  bool goes_on = true;
  int added = 0;
  for (; goes_on && added < 1'000; ++added) goes_on = counter.add(std::string_view(text).substr(0, 4));
  EXPECT_LT(added, 60);
  EXPECT_GT(counter.total(), 20);
}

TEST(PieceCounterTest, DoesNotEncodeAPieceThatCannotFit) {
  const std::string run(1'000'000, 'a');
  PieceMemo memo;
  PieceCounter counter(cl100k_vocabulary(), memo, 100);
  EXPECT_FALSE(counter.add(run));
  EXPECT_EQ(counter.total(), 1'000'000 / 128);
}

}  // namespace
}  // namespace ctxmgr::bpe
