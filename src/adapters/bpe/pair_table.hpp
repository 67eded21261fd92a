#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "adapters/bpe/bloom_filter.hpp"
#include "adapters/bpe/hashing.hpp"

namespace ctxmgr::bpe {

/// What pairs of tokens merge to. All tokens are below 2^20 and none of the merged ones is 0.
/// Thread-safety: const methods may be called from several threads at once.
class PairTable {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// Room for so many pairs.
  explicit PairTable(std::size_t pairs = 0)
      : slots_(std::bit_ceil(pairs + pairs / 4 + 16)), mask_(slots_.size() - 1), filter_(pairs) {}

  void add(std::uint32_t left, std::uint32_t right, std::uint32_t merged) {
    const std::uint64_t key = key_of(left, right);
    filter_.add(mix(key));
    std::size_t slot = slot_of(key);
    while (slots_[slot] != 0) slot = (slot + 1) & mask_;
    slots_[slot] = key << 20U | merged;
  }

  /// What they merge to, or `none`.
  std::uint32_t find(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t key = key_of(left, right);
    if (!filter_.may_contain(mix(key))) return none;
    for (std::size_t slot = slot_of(key); slots_[slot] != 0; slot = (slot + 1) & mask_) {
      if (slots_[slot] >> 20U == key) return static_cast<std::uint32_t>(slots_[slot] & 0xFFFFFU);
    }
    return none;
  }

  /// Says that this pair will be added soon.
  void prefetch(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t key = key_of(left, right);
    bpe::prefetch(&slots_[slot_of(key)]);
    filter_.prefetch(mix(key));
  }

 private:
  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) { return std::uint64_t{left} << 20U | right; }
  std::size_t slot_of(std::uint64_t key) const { return static_cast<std::size_t>(mix(key) >> 40U) & mask_; }

  std::vector<std::uint64_t> slots_;  // open addressing: left << 40 | right << 20 | merged; zero is free
  std::size_t mask_;
  BloomFilter filter_;
};

}  // namespace ctxmgr::bpe
