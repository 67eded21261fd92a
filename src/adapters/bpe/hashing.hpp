#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ctxmgr::bpe {

/// Multiplicative hashing (Knuth, volume 3, section 6.4): the upper bits of a product. \pre `slots` is a power of two above 1.
inline std::uint64_t mix(std::uint64_t value) { return value * 0x9E3779B97F4A7C15ULL; }
inline std::size_t hash(std::uint64_t value, std::size_t slots) {
  return static_cast<std::size_t>(mix(value) >> (64 - std::countr_zero(slots)));
}

inline std::uint64_t swap_bytes(std::uint64_t value) {
  std::uint64_t swapped = 0;
  for (int i = 0; i < 8; ++i, value >>= 8U) swapped = swapped << 8U | (value & 0xFFU);
  return swapped;
}

/// Eight bytes of text, the first in the lowest bits.
inline std::uint64_t load_bytes(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  return std::endian::native == std::endian::big ? swap_bytes(bytes) : bytes;
}

/// Says that this address will be read soon.
inline void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

}  // namespace ctxmgr::bpe
