#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "adapters/bpe/bloom_filter.hpp"
#include "adapters/bpe/hashing.hpp"

namespace ctxmgr::bpe {

/// What pairs of tokens merge to. All tokens are below 2^20 - 1 and none of the merged ones is 0.
/// Thread-safety: const methods may be called from several threads at once.
class PairTable {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr std::uint32_t no_token = 0xFFFFF;  ///< Merges with nothing.

  /// Room for so many pairs.
  explicit PairTable(std::size_t pairs = 0, const std::shared_ptr<TableMemory>& memory = nullptr)
      : buckets_(std::bit_ceil(pairs + pairs / 4 + 16) / slots, memory),
        mask_(buckets_.size() - 1),
        filter_(pairs, memory) {}

  void add(std::uint32_t left, std::uint32_t right, std::uint32_t merged) {
    const std::uint64_t key = key_of(left, right);
    filter_.add(mix(key));
    std::size_t bucket = bucket_of(key);
    std::size_t used = buckets_[bucket].used();
    while (used == slots) {
      bucket = (bucket + 1) & mask_;
      used = buckets_[bucket].used();
    }
    buckets_[bucket].slots[used] = key << 20U | merged;
  }

  /// Could they merge to something? May be wrong only in saying yes, and is faster than `find`.
  bool may_have(std::uint32_t left, std::uint32_t right) const { return filter_.may_contain(mix(key_of(left, right))); }

  /// What they merge to, or `none`.
  std::uint32_t find(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t bucket = bucket_of(key);; bucket = (bucket + 1) & mask_) {
      std::uint64_t found = 0;  // a branch for each slot could not be foreseen
      for (const std::uint64_t slot : buckets_[bucket].slots) {
        found |= slot & (0 - static_cast<std::uint64_t>(slot >> 20U == key));
      }
      if (found != 0) return static_cast<std::uint32_t>(found & 0xFFFFFU);
      if (buckets_[bucket].slots[slots - 1] == 0) return none;
    }
  }

  /// Says that this pair will be added soon.
  void prefetch(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t key = key_of(left, right);
    bpe::prefetch(&buckets_[bucket_of(key)]);
    filter_.prefetch(mix(key));
  }

 private:
  static constexpr std::size_t slots = 4;
  struct alignas(slots * sizeof(std::uint64_t)) Bucket {
    std::uint64_t slots[PairTable::slots] = {};  // left << 40 | right << 20 | merged; zero is free

    std::size_t used() const {
      std::size_t count = 0;
      for (const std::uint64_t slot : slots) count += slot != 0 ? 1 : 0;
      return count;
    }
  };
  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) { return std::uint64_t{left} << 20U | right; }
  std::size_t bucket_of(std::uint64_t key) const { return static_cast<std::size_t>(mix(key) >> 40U) & mask_; }

  Table<Bucket> buckets_;  // open addressing
  std::size_t mask_;
  BloomFilter filter_;
};

}  // namespace ctxmgr::bpe
