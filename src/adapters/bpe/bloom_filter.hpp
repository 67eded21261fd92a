#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "adapters/bpe/hashing.hpp"
#include "adapters/bpe/table_memory.hpp"

namespace ctxmgr::bpe {

/// A small set of hashes that may say yes in vain, never no: it answers from the processor's inner caches most of what
/// would be a look in vain in a table that does not fit there (Bloom, "Space/time trade-offs in hash coding", 1970).
/// Both bits of a hash are in one word, which costs one look at memory and about 4 % of wrong answers.
class BloomFilter {
 public:
  /// Room for so many hashes: 8 to 16 bits each.
  explicit BloomFilter(std::size_t entries = 0, const TableAllocator<std::uint64_t>& memory = {})
      : words_(std::bit_ceil(std::max<std::size_t>(entries / 8, 1)), 0, memory), mask_(words_.size() - 1) {}

  /// \pre All 64 bits of `hashed` are well mixed but the lowest few.
  void add(std::uint64_t hashed) { words_[word_of(hashed)] |= bits_of(hashed); }

  /// Says that this hash will be added or asked for soon.
  void prefetch(std::uint64_t hashed) const { bpe::prefetch(&words_[word_of(hashed)]); }

  bool may_contain(std::uint64_t hashed) const {
    const std::uint64_t bits = bits_of(hashed);
    return (words_[word_of(hashed)] & bits) == bits;
  }

 private:
  std::size_t word_of(std::uint64_t hashed) const { return static_cast<std::size_t>(hashed >> 40U) & mask_; }
  static std::uint64_t bits_of(std::uint64_t hashed) {
    return 1ULL << (hashed >> 34U & 63U) | 1ULL << (hashed >> 28U & 63U);
  }

  Table<std::uint64_t> words_;
  std::size_t mask_;
};

}  // namespace ctxmgr::bpe
