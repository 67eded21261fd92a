#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/bpe/pair_memo.hpp"
#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Do two tokens stay as they are when their texts are encoded together?
bool stay_apart(const Vocabulary& vocabulary, Rank left, Rank right);

/// Byte pair encoding of pieces that are not a token, in linear time.
///
/// Short pieces are merged by the definition. Longer ones are not: it takes the longest token at each place as long as that may follow the one before (both stay
/// apart when their texts are encoded together), and goes back to a shorter one where nothing may follow; places that
/// were found to lead nowhere are remembered, so that each is left once. The encoding of a text is the only sequence of
/// tokens in which every neighbours stay apart (van Antwerpen and Neubeck, "So many tokens, so little time", 2024).
///
/// Thread-safety: none; one object for each thread at a time. The vocabulary must outlive it.
class PieceEncoder {
 public:
  /// The memo remembers which tokens of this vocabulary stay apart; it must outlive the encoder, too.
  PieceEncoder(const Vocabulary& vocabulary, PairMemo& memo) : vocabulary_(vocabulary), memo_(memo) {}

  /// The tokens of a piece, valid until the next call. `text_end` is where reading may go on.
  std::span<const Rank> encode(std::string_view piece, const char* text_end) {
    short_tokens_[0] = vocabulary_.find_whole(piece);
    if (short_tokens_[0] != no_rank) return {short_tokens_, 1};
    return piece.size() <= max_merge_bytes ? merge(piece) : match(piece, text_end);
  }

 private:
  std::span<const Rank> merge(std::string_view piece);
  std::span<const Rank> match(std::string_view piece, const char* text_end);
  bool stay_apart(Rank left, Rank right);

  const Vocabulary& vocabulary_;
  PairMemo& memo_;
  static constexpr std::size_t max_merge_bytes = 12;
  static constexpr std::size_t short_bytes = 63;  // most pieces; they need no memory of their own
  Rank short_tokens_[short_bytes];
  std::vector<Rank> long_tokens_;
  std::vector<std::uint64_t> long_dead_;
};

}  // namespace ctxmgr::bpe
