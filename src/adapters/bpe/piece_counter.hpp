#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/bpe/piece_encoder.hpp"
#include "adapters/bpe/piece_memo.hpp"
#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Adds up the tokens of the pieces of one text. What the memo does not know waits until there are some, so that the
/// processor fetches their entries of the vocabulary side by side.
/// Thread-safety: none. It lives as long as one call.
class PieceCounter {
 public:
  /// Past `limit` it need not count on.
  PieceCounter(const Vocabulary& vocabulary, PieceMemo& memo, std::int64_t limit)
      : vocabulary_(vocabulary), memo_(memo), encoder_(vocabulary), limit_(limit) {}

  /// False once the total is above the limit. The piece stays until `total`.
  /// \pre The piece is UTF-8, has a byte, and eight can be read.
  bool add(std::string_view piece) {
    if (!add_known(piece)) add_parts(piece);
    return total_ <= limit_;
  }

  /// The same for a piece that need not stay.
  bool add_now(std::string_view piece);

  /// Tokens of all pieces so far; may be any number above the limit that is not above the true one.
  std::int64_t total() {
    count_waiting();
    return total_;
  }

 private:
  struct Waiting {  // without initial values: most of them are never used
    const char* text;
    std::size_t bytes;
    std::uint64_t hashed;
  };
  static constexpr std::size_t max_waiting_bytes = 128;
  static constexpr std::size_t max_waiting = 16;

  bool add_known(std::string_view piece) {
    const std::int64_t known = piece.size() <= PieceMemo::max_bytes ? memo_.find(piece) : 0;
    total_ += known;
    return known != 0;
  }
  void add_parts(std::string_view piece);
  void wait(std::string_view piece);
  void add_unknown(std::string_view piece, std::uint64_t hashed);
  void count_waiting();

  const Vocabulary& vocabulary_;
  PieceMemo& memo_;
  PieceEncoder encoder_;
  std::int64_t limit_;
  std::int64_t total_ = 0;
  std::size_t waiting_count_ = 0;
  Waiting waiting_[max_waiting];
};

}  // namespace ctxmgr::bpe
