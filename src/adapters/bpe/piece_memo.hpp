#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "adapters/bpe/hashing.hpp"
#include "adapters/bpe/table_memory.hpp"

namespace ctxmgr::bpe {

/// Counts of pieces of at most 7 bytes, each in one number: the text, its length and its count. Direct-mapped; a new piece
/// takes the place of an old one.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
class ShortPieceTable {
 public:
  static constexpr std::size_t max_bytes = 7;
  static constexpr std::int64_t max_count = 7;

  /// \pre `slots` is a power of two above 1.
  explicit ShortPieceTable(std::size_t slots, const std::shared_ptr<TableMemory>& memory = nullptr)
      : slots_(slots, memory), shift_(64 - static_cast<unsigned>(std::countr_zero(slots))) {}

  /// Tokens of the piece, or 0. \pre It has a byte, and eight can be read.
  std::int64_t find(std::string_view piece) const {
    const std::uint64_t key = key_of(piece);
    const std::uint64_t differs = slots_[mix(key) >> shift_].load(std::memory_order_relaxed) ^ key;
    return differs <= max_count ? static_cast<std::int64_t>(differs) : 0;
  }

  void store(std::string_view piece, std::int64_t count) {
    const std::uint64_t key = key_of(piece);
    slots_[mix(key) >> shift_].store(key | static_cast<std::uint64_t>(count), std::memory_order_relaxed);
  }

 private:
  // The length stands above the three bits that are left to the count.
  static std::uint64_t key_of(std::string_view piece) {
    return load_bytes(piece.data()) << (64 - 8 * piece.size()) | piece.size() << 3U;
  }

  Table<std::atomic<std::uint64_t>> slots_;
  unsigned shift_;
};

/// Counts of pieces of 8 to 24 bytes, told apart by their length and their first, second and last eight bytes, which
/// overlap in shorter pieces. Direct-mapped; a new piece takes the place of an old one.
///
/// Each slot is a sequence lock (Boehm, "Can seqlocks get along with programming language memory models?", 2012): its
/// state changes with every piece, so a reader that finds the same state before and behind the text has read one piece.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
class LongPieceTable {
 public:
  static constexpr std::size_t max_bytes = 24;

  /// \pre `slots` is a power of two above 1.
  explicit LongPieceTable(std::size_t slots, const std::shared_ptr<TableMemory>& memory = nullptr)
      : slots_(slots, memory), shift_(64 - static_cast<unsigned>(std::countr_zero(slots))) {}

  /// Tokens of the piece, or 0. \pre It has 8 to `max_bytes` bytes.
  std::int64_t find(std::string_view piece) const {
    const Text text = text_of(piece);
    const Slot& slot = slots_[slot_of(text, piece.size())];
    const std::uint64_t state = slot.state.load(std::memory_order_acquire);
    std::uint64_t differs = (state ^ piece.size()) & (length_mask | busy);
    for (std::size_t i = 0; i < words; ++i) differs |= slot.text[i].load(std::memory_order_acquire) ^ text[i];
    if (differs != 0 || slot.state.load(std::memory_order_relaxed) != state) return 0;
    return static_cast<std::int64_t>(state >> count_shift & 31U);
  }

  /// \pre `count` is at most 31.
  void store(std::string_view piece, std::int64_t count) {
    const Text text = text_of(piece);
    Slot& slot = slots_[slot_of(text, piece.size())];
    std::uint64_t state = slot.state.load(std::memory_order_relaxed);
    if ((state & busy) != 0 || !slot.state.compare_exchange_strong(state, state | busy, std::memory_order_acquire,
                                                                   std::memory_order_relaxed)) {
      return;  // another thread is at it; what it stores is as good
    }
    for (std::size_t i = 0; i < words; ++i) slot.text[i].store(text[i], std::memory_order_release);
    const std::uint64_t version = (state >> version_shift) + 1;
    slot.state.store(version << version_shift | static_cast<std::uint64_t>(count) << count_shift | piece.size(),
                     std::memory_order_release);
  }

 private:
  static constexpr std::size_t words = 3;
  static constexpr std::uint64_t length_mask = 31;
  static constexpr unsigned count_shift = 5;
  static constexpr std::uint64_t busy = 1U << 10U;
  static constexpr unsigned version_shift = 11;
  using Text = std::array<std::uint64_t, words>;
  struct Slot {
    std::atomic<std::uint64_t> text[words];
    std::atomic<std::uint64_t> state;
  };

  static Text text_of(std::string_view piece) {
    const std::size_t last = piece.size() - 8;
    return {load_bytes(piece.data()), load_bytes(piece.data() + (last < 8 ? last : 8)),
            load_bytes(piece.data() + last)};
  }
  std::size_t slot_of(const Text& text, std::size_t bytes) const {
    std::uint64_t folded = text[0] + bytes;
    for (std::size_t i = 1; i < words; ++i) folded = std::rotl(mix(folded), 32) ^ text[i];
    return static_cast<std::size_t>(mix(folded) >> shift_);
  }

  Table<Slot> slots_;
  unsigned shift_;
};

/// Counts of pieces of one byte repeated, by the byte and the length, which say all of them.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
class RunTable {
 public:
  /// \pre `slots` is a power of two above 1.
  explicit RunTable(std::size_t slots, const std::shared_ptr<TableMemory>& memory = nullptr)
      : slots_(slots, memory), shift_(64 - static_cast<unsigned>(std::countr_zero(slots))) {}

  static bool is_run(std::string_view piece) {
    return piece.size() > 1 && piece.size() <= most_bytes &&
           std::memcmp(piece.data(), piece.data() + 1, piece.size() - 1) == 0;
  }

  /// Tokens of the piece, or 0. \pre `is_run(piece)`.
  std::int64_t find(std::string_view piece) const {
    const std::uint64_t key = key_of(piece);
    const std::uint64_t held = slots_[mix(key) >> shift_].load(std::memory_order_relaxed);
    return (held & key_mask) == key ? static_cast<std::int64_t>(held >> 32U) : 0;
  }

  /// \pre `is_run(piece)`, and the count is not above the number of bytes.
  void store(std::string_view piece, std::int64_t count) {
    const std::uint64_t key = key_of(piece);
    slots_[mix(key) >> shift_].store(static_cast<std::uint64_t>(count) << 32U | key, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t most_bytes = (std::size_t{1} << 24U) - 1;
  static constexpr std::uint64_t key_mask = 0xFFFFFFFFU;
  static std::uint64_t key_of(std::string_view piece) {
    return std::uint64_t{piece.size()} << 8U | static_cast<unsigned char>(piece.front());
  }

  Table<std::atomic<std::uint64_t>> slots_;
  unsigned shift_;
};

/// Counts of the pieces that texts have had so far: texts repeat themselves and each other, and this stays in the
/// processor's inner caches where the vocabulary does not. Bounded, and exact: whole pieces are compared.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
class PieceMemo {
 public:
  static constexpr std::size_t max_bytes = LongPieceTable::max_bytes;

  explicit PieceMemo(const std::shared_ptr<TableMemory>& memory = nullptr)
      : short_(std::size_t{1} << 15U, memory),
        long_(std::size_t{1} << 15U, memory),
        runs_(std::size_t{1} << 12U, memory) {}

  /// Tokens of the piece, or 0. \pre It has 1 to `max_bytes` bytes, and eight can be read.
  std::int64_t find(std::string_view piece) const {
    return piece.size() <= ShortPieceTable::max_bytes ? short_.find(piece) : long_.find(piece);
  }

  /// \pre The count is not above the number of bytes.
  void store(std::string_view piece, std::int64_t count) {
    if (piece.size() <= ShortPieceTable::max_bytes)
      short_.store(piece, count);
    else
      long_.store(piece, count);
  }

  /// Of pieces of any length that are one byte repeated.
  RunTable& runs() { return runs_; }

 private:
  ShortPieceTable short_;
  LongPieceTable long_;
  RunTable runs_;
};

}  // namespace ctxmgr::bpe
