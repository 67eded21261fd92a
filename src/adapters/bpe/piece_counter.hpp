#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/bpe/piece_cache.hpp"
#include "adapters/bpe/piece_encoder.hpp"
#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Adds up the tokens of the pieces of one text. What the cache does not know waits until there are some, so that the
/// processor fetches their entries of the vocabulary side by side.
/// Thread-safety: none. It lives as long as one call.
class PieceCounter {
 public:
  /// Past `limit` it need not count on.
  PieceCounter(const Vocabulary& vocabulary, std::size_t text_bytes, std::int64_t limit)
      : vocabulary_(vocabulary), encoder_(vocabulary, text_bytes), limit_(limit) {
    if (text_bytes >= PieceCache::min_text_bytes) cache_.emplace(text_bytes);
  }

  /// `text_end` is where reading may go on. False once the total is above the limit.
  bool add(std::string_view piece, const char* text_end) {
    if (piece.size() > max_key_bytes) return add_long(piece, text_end);
    const Key key = shorten(load_key(piece.data(), text_end), piece.size());
    const std::int64_t known = cache_ ? cache_->find(key) : 0;
    total_ += known;
    if (known == 0) {
      vocabulary_.prefetch(key);
      waiting_[waiting_count_++] = {key, piece.data(), text_end};
      if (waiting_count_ == max_waiting) count_waiting();
    }
    return total_ <= limit_;
  }

  /// Tokens of all pieces so far; may be any number above the limit that is not above the true one.
  std::int64_t total() {
    count_waiting();
    return total_;
  }

 private:
  struct Waiting {
    Key key;
    const char* text;
    const char* text_end;
  };
  static constexpr std::size_t max_waiting = 16;

  bool add_long(std::string_view piece, const char* text_end);
  void count_waiting();

  const Vocabulary& vocabulary_;
  PieceEncoder encoder_;
  std::optional<PieceCache> cache_;
  std::int64_t limit_;
  std::int64_t total_ = 0;
  std::size_t waiting_count_ = 0;
  Waiting waiting_[max_waiting];
};

}  // namespace ctxmgr::bpe
