#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/bpe/memo.hpp"
#include "adapters/bpe/piece_encoder.hpp"
#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Adds up the tokens of the pieces of one text. What the memo does not know waits until there are some, so that the
/// processor fetches their entries of the vocabulary side by side.
/// Thread-safety: none. It lives as long as one call.
class PieceCounter {
 public:
  /// Past `limit` it need not count on.
  PieceCounter(const Vocabulary& vocabulary, Memo& memo, std::int64_t limit)
      : vocabulary_(vocabulary), memo_(memo.pieces), encoder_(vocabulary, memo.pairs), limit_(limit) {}

  /// `text_end` is where reading may go on: at least eight bytes behind the start of the piece. False once the total is
  /// above the limit.
  bool add(std::string_view piece, const char* text_end) {
    if (piece.size() > PieceMemo::max_bytes) return add_long(piece, text_end);
    const std::int64_t known = memo_.find(piece);
    total_ += known;
    if (known == 0) wait(piece, text_end);
    return total_ <= limit_;
  }

  /// Tokens of all pieces so far; may be any number above the limit that is not above the true one.
  std::int64_t total() {
    count_waiting();
    return total_;
  }

 private:
  struct Waiting {  // without initial values: most of them are never used
    const char* text;
    std::size_t bytes;
    const char* text_end;
  };
  static constexpr std::size_t max_waiting = 16;

  bool add_long(std::string_view piece, const char* text_end);
  void wait(std::string_view piece, const char* text_end);
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
