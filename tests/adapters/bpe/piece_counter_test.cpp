#include "adapters/bpe/piece_counter.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "adapters/bpe/embedded.hpp"

namespace ctxmgr::bpe {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

const Vocabulary& vocabulary() {
  static const Tokenizer tokenizer = load_embedded("cl100k_base").value();
  return tokenizer.vocabulary;
}

std::int64_t tokens_of(std::string_view piece) {
  PairMemo memo;
  return static_cast<std::int64_t>(PieceEncoder(vocabulary(), memo).encode(piece, piece.data() + piece.size()).size());
}

TEST(PieceCounterTest, AddsUpPiecesOfEveryLengthForgottenAndRemembered) {
  const std::string text = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  Memo memo;
  for (int round = 0; round < 3; ++round) {
    PieceCounter counter(vocabulary(), memo, no_limit);
    std::int64_t expected = 0;
    for (std::size_t bytes = 1; bytes <= text.size(); ++bytes) {
      counter.add(std::string_view(text).substr(0, bytes), text.data() + text.size());
      expected += tokens_of(std::string_view(text).substr(0, bytes));
    }
    EXPECT_EQ(counter.total(), expected);
  }
}

TEST(PieceCounterTest, TellsWhenItIsAboveTheLimit) {
  Memo memo;
  PieceCounter counter(vocabulary(), memo, 20);
  const std::string text = "word and room behind it";
  bool goes_on = true;
  int added = 0;
  for (; goes_on && added < 1'000; ++added)
    goes_on = counter.add(std::string_view(text).substr(0, 4), text.data() + text.size());
  EXPECT_LT(added, 60);
  EXPECT_GT(counter.total(), 20);
}

TEST(PieceCounterTest, DoesNotEncodeAPieceThatCannotFit) {
  const std::string run(1'000'000, 'a');
  Memo memo;
  PieceCounter counter(vocabulary(), memo, 100);
  EXPECT_FALSE(counter.add(run, run.data() + run.size()));
  EXPECT_EQ(counter.total(), 1'000'000 / 128);
}

}  // namespace
}  // namespace ctxmgr::bpe
