#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Counts of the pieces that one text has had so far: text repeats itself, and this stays in the processor's inner
/// caches where the vocabulary does not. Direct-mapped and exact: whole pieces are compared. Its size follows the text's.
/// Thread-safety: none. It lives as long as one call.
class PieceCache {
 public:
  /// Shorter texts repeat too little to pay for it.
  static constexpr std::size_t min_text_bytes = 2'048;

  explicit PieceCache(std::size_t text_bytes)
      : slots_(std::clamp(std::bit_ceil(text_bytes / 64), std::size_t{64}, max_slots)), short_(slots_), long_(slots_) {}

  /// Tokens of a piece that has a key, or 0.
  std::int64_t find(Key key) const { return static_cast<std::int64_t>(value_of(short_[slot_of(key)], key)); }

  void store(Key key, std::int64_t count) {
    short_[slot_of(key)] = {key.low, key.high | static_cast<std::uint64_t>(count) << key_value_shift};
  }

  /// The same for longer pieces, which must stay where they are.
  std::int64_t find(std::string_view piece) const {
    const Long& slot = long_[slot_of(piece)];
    return slot.bytes == piece.size() && std::memcmp(slot.text, piece.data(), piece.size()) == 0 ? slot.count : 0;
  }

  void store(std::string_view piece, std::int64_t count) {
    if (piece.size() < max_long_bytes) {
      long_[slot_of(piece)] = {piece.data(), static_cast<std::uint32_t>(piece.size()),
                               static_cast<std::uint32_t>(count)};
    }
  }

 private:
  struct Long {
    const char* text = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t count = 0;
  };
  static constexpr std::size_t max_slots = 16'384;
  static constexpr std::size_t max_long_bytes = 1'024;
  std::size_t slot_of(Key key) const { return hash(fold(key), slots_); }

  std::size_t slot_of(std::string_view piece) const {
    const char* const end = piece.data() + piece.size();
    const Key tail = load_key(end - max_key_bytes, end);
    return hash(fold(load_key(piece.data(), end)) + std::rotl(fold(tail), 17) + piece.size(), slots_);
  }

  std::size_t slots_;
  std::vector<Key> short_;
  std::vector<Long> long_;
};

}  // namespace ctxmgr::bpe
