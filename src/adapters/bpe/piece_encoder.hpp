#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Byte pair encoding of pieces that are not a token, in linear time.
///
/// It does not merge. It takes the longest token at each place as long as that may follow the one before (both stay
/// apart when their texts are encoded together), and goes back to a shorter one where nothing may follow; places that
/// were found to lead nowhere are remembered, so that each is left once. The encoding of a text is the only sequence of
/// tokens in which every neighbours stay apart (van Antwerpen and Neubeck, "So many tokens, so little time", 2024).
///
/// Thread-safety: none; one object for each thread at a time. The vocabulary must outlive it.
class PieceEncoder {
 public:
  explicit PieceEncoder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// The tokens of a piece, valid until the next call. `text_end` is where reading may go on.
  const std::vector<Rank>& encode(std::string_view piece, const char* text_end);

 private:
  bool is_dead(std::size_t pos) const { return (dead_[pos / 64] >> (pos % 64) & 1U) != 0; }

  const Vocabulary& vocabulary_;
  std::vector<Rank> tokens_;
  std::vector<std::uint64_t> dead_;
};

/// Do two tokens stay as they are when their texts are encoded together?
bool stay_apart(const Vocabulary& vocabulary, Rank left, Rank right);

}  // namespace ctxmgr::bpe
