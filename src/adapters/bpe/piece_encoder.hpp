#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Byte pair encoding of pieces: merges the two neighbours that make the earliest token, the leftmost of equal ones, as
/// long as there are any. It begins with characters instead of bytes where that comes to the same.
///
/// Long pieces are encoded in windows, each from a token of the one before on that would not have been merged with what
/// precedes it: the encoding of a text is the only sequence of tokens in which all neighbours stay apart (van Antwerpen
/// and Neubeck, "So many tokens, so little time", 2024). A window that has no such token is made longer.
///
/// Runs of blanks and of one byte begin with the longest token at each place instead; where two would not stay apart, a shorter
/// one is tried, and a place that no tokens reach is remembered (the same paper).
///
/// Thread-safety: none; one object for each thread at a time. The vocabulary must outlive it.
class PieceEncoder {
 public:
  explicit PieceEncoder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// The tokens of a piece, valid until the next call. \pre The piece has a byte, and eight can be read.
  std::span<const Rank> encode(std::string_view piece);

  /// How many tokens it has that is not one.
  std::size_t count_merged(std::string_view piece);

 private:
  /// Tokens and where each begins, in units: the characters and bytes that merging begins with.
  struct Window {
    std::vector<Rank> tokens;
    std::vector<std::size_t> places;
  };
  static constexpr std::size_t max_few = 64;  // most pieces; they need no memory of their own
  static constexpr std::size_t max_window = max_few - 2;
  static constexpr Rank no_unit = PairTable::no_token;

  std::span<Rank> split_into_units(std::string_view piece);
  std::uint64_t merge_few(std::span<Rank> units) const;
  Window merge_many(std::span<const Rank> units) const;
  Window merge_window(std::span<const Rank> units) const;
  void merge_in_windows(std::span<const Rank> units);
  bool is_long_run(std::string_view piece) const;
  void encode_run(std::string_view piece);

  const Vocabulary& vocabulary_;
  Rank few_[max_few];
  std::vector<Rank> many_;
  std::vector<Rank> tokens_;
  std::vector<RunTokens::Node> path_;  // of `encode_run`
  std::vector<bool> is_dead_;
};

}  // namespace ctxmgr::bpe
