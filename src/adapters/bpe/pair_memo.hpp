#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/bpe/hashing.hpp"

namespace ctxmgr::bpe {

/// What was found out about pairs of tokens: a yes or no each. Direct-mapped, bounded, exact; a slot is one number.
/// Thread-safety: all methods may be called from several threads at once; none of them waits.
class PairMemo {
 public:
  std::optional<bool> find(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t key = key_of(left, right);
    const std::uint64_t slot = slots_[hash(key, slots_.size())].load(std::memory_order_relaxed);
    if ((slot & ~std::uint64_t{1}) != key) return std::nullopt;
    return (slot & 1U) != 0;
  }

  void store(std::uint32_t left, std::uint32_t right, bool answer) {
    const std::uint64_t key = key_of(left, right);
    slots_[hash(key, slots_.size())].store(key | static_cast<std::uint64_t>(answer), std::memory_order_relaxed);
  }

 private:
  // The top bit tells the pair of token 0 twice from an empty slot. \pre Both are below 2^31.
  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) {
    return std::uint64_t{1} << 63U | std::uint64_t{left} << 32U | std::uint64_t{right} << 1U;
  }

  std::vector<std::atomic<std::uint64_t>> slots_ = std::vector<std::atomic<std::uint64_t>>(std::size_t{1} << 14U);
};

}  // namespace ctxmgr::bpe
