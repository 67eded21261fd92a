#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ctxmgr::bpe {

/// Multiplicative hashing (Knuth, volume 3, section 6.4): the upper bits are the hash.
inline std::uint64_t mix(std::uint64_t value) { return value * 0x9E3779B97F4A7C15ULL; }

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

/// The four at `pos`; zeros behind the end of the text.
inline std::uint32_t load_four_bytes(std::string_view text, std::size_t pos) {
  std::uint32_t bytes = 0;
  if (text.size() < sizeof bytes) {
    for (std::size_t i = pos; i < text.size(); ++i) {
      bytes |= std::uint32_t{static_cast<unsigned char>(text[i])} << 8 * (i - pos);
    }
    return bytes;
  }
  const std::size_t start = std::min(pos, text.size() - sizeof bytes);
  std::memcpy(&bytes, text.data() + start, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = static_cast<std::uint32_t>(swap_bytes(bytes) >> 32U);
  return bytes >> 8 * (pos - start);
}

/// Of a whole text; the bits from the eighth on are well mixed. \pre It has a byte, and eight can be read.
inline std::uint64_t hash_text(std::string_view text) {
  const std::size_t bytes = text.size();
  std::uint64_t folded = bytes;
  if (bytes <= 8) {
    folded += load_bytes(text.data()) & ~std::uint64_t{0} >> (64 - 8 * bytes);
  } else {
    for (std::size_t i = 0; i + 8 < bytes; i += 8) folded = std::rotl(mix(folded ^ load_bytes(text.data() + i)), 32);
    folded ^= load_bytes(text.data() + bytes - 8);
  }
  return mix(folded ^ folded >> 32U);
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
