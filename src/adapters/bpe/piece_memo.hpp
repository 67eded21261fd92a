#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "adapters/bpe/hashing.hpp"

namespace ctxmgr::bpe {

/// Counts of pieces of text of one range of lengths, told apart by their length and `words` numbers made of their bytes.
/// Direct-mapped; a new piece takes the place of an old one.
///
/// Each slot is a sequence lock (Boehm, "Can seqlocks get along with programming language memory models?", 2012): its
/// state changes with every piece, so a reader that finds the same state before and behind the text has read one piece.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
template <std::size_t words>
class PieceTable {
 public:
  using Text = std::array<std::uint64_t, words>;

  /// \pre `slots` is a power of two above 1.
  explicit PieceTable(std::size_t slots) : slots_(slots) {}

  /// Tokens of the piece, or 0.
  std::int64_t find(const Text& text, std::size_t bytes) const {
    const Slot& slot = slots_[slot_of(text, bytes)];
    const std::uint64_t state = slot.state.load(std::memory_order_acquire);
    std::uint64_t differs = (state ^ bytes) & (length_mask | busy);
    for (std::size_t i = 0; i < words; ++i) differs |= slot.text[i].load(std::memory_order_acquire) ^ text[i];
    if (differs != 0 || slot.state.load(std::memory_order_relaxed) != state) return 0;
    return static_cast<std::int64_t>(state >> count_shift & 31U);
  }

  /// \pre `bytes` and `count` are 1 to 31.
  void store(const Text& text, std::size_t bytes, std::int64_t count) {
    Slot& slot = slots_[slot_of(text, bytes)];
    std::uint64_t state = slot.state.load(std::memory_order_relaxed);
    if ((state & busy) != 0 || !slot.state.compare_exchange_strong(state, state | busy, std::memory_order_acquire,
                                                                   std::memory_order_relaxed)) {
      return;  // another thread is at it; what it stores is as good
    }
    for (std::size_t i = 0; i < words; ++i) slot.text[i].store(text[i], std::memory_order_release);
    const std::uint64_t version = (state >> version_shift) + 1;
    slot.state.store(version << version_shift | static_cast<std::uint64_t>(count) << count_shift | bytes,
                     std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t length_mask = 31;
  static constexpr unsigned count_shift = 5;
  static constexpr std::uint64_t busy = 1U << 10U;
  static constexpr unsigned version_shift = 11;
  struct Slot {
    std::atomic<std::uint64_t> text[words];
    std::atomic<std::uint64_t> state;
  };

  std::size_t slot_of(const Text& text, std::size_t bytes) const {
    std::uint64_t folded = text[0] + bytes;
    for (std::size_t i = 1; i < words; ++i) folded = std::rotl(mix(folded), 32) ^ text[i];
    return hash(folded, slots_.size());
  }

  std::vector<Slot> slots_;
};

/// Counts of the pieces that texts have had so far: texts repeat themselves and each other, and this stays in the
/// processor's inner caches where the vocabulary does not. Bounded, and exact: whole pieces are compared.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
class PieceMemo {
 public:
  static constexpr std::size_t max_bytes = 24;

  /// Tokens of the piece, or 0. \pre It has 1 to `max_bytes` bytes, and eight can be read.
  std::int64_t find(std::string_view piece) const {
    return piece.size() <= 8 ? short_.find(short_text(piece), piece.size())
                             : long_.find(long_text(piece), piece.size());
  }

  void store(std::string_view piece, std::int64_t count) {
    if (piece.size() <= 8)
      short_.store(short_text(piece), piece.size(), count);
    else
      long_.store(long_text(piece), piece.size(), count);
  }

 private:
  static std::array<std::uint64_t, 1> short_text(std::string_view piece) {
    return {load_bytes(piece.data()) & ~std::uint64_t{0} >> (64 - 8 * piece.size())};
  }

  // The first, the second and the last eight bytes, which overlap in shorter pieces.
  static std::array<std::uint64_t, 3> long_text(std::string_view piece) {
    const std::size_t last = piece.size() - 8;
    return {load_bytes(piece.data()), load_bytes(piece.data() + (last < 8 ? last : 8)),
            load_bytes(piece.data() + last)};
  }

  PieceTable<1> short_{std::size_t{1} << 15U};
  PieceTable<3> long_{std::size_t{1} << 15U};
};

}  // namespace ctxmgr::bpe
