#pragma once
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ctxmgr::bpe {

/// Sixteen bytes of text, each mask with bit i set where byte i is of that kind.
class PortableBlock {
 public:
  explicit PortableBlock(const char* text) : text_(text) {}
  std::uint32_t upper() const {
    return mask([](char c) { return c >= 'A' && c <= 'Z'; });
  }
  std::uint32_t lower() const {
    return mask([](char c) { return c >= 'a' && c <= 'z'; });
  }
  std::uint32_t spaces() const {
    return mask([](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  }
  std::uint32_t newlines() const {
    return mask([](char c) { return c == '\n' || c == '\r'; });
  }

 private:
  template <class Belongs>
  std::uint32_t mask(const Belongs& belongs) const {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < 16; ++i) bits |= static_cast<std::uint32_t>(belongs(text_[i])) << i;
    return bits;
  }

  const char* text_;
};

#if defined(__SSE2__)
/// The same with SSE2, which every x86-64 has.
class Sse2Block {
 public:
  explicit Sse2Block(const char* text) : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text))) {}
  std::uint32_t upper() const { return mask(range('A', 'Z')); }
  std::uint32_t lower() const { return mask(range('a', 'z')); }
  std::uint32_t spaces() const { return mask(_mm_or_si128(range('\t', '\r'), equal(' '))); }
  std::uint32_t newlines() const { return mask(_mm_or_si128(equal('\n'), equal('\r'))); }

 private:
  static std::uint32_t mask(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }
  __m128i equal(char c) const { return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c)); }
  // Signed comparison: bytes above 0x7F are negative and in no range.
  __m128i range(char first, char last) const {
    return _mm_and_si128(_mm_cmpgt_epi8(bytes_, _mm_set1_epi8(static_cast<char>(first - 1))),
                         _mm_cmplt_epi8(bytes_, _mm_set1_epi8(static_cast<char>(last + 1))));
  }

  __m128i bytes_;
};

using AsciiBlock = Sse2Block;
#else
using AsciiBlock = PortableBlock;
#endif

}  // namespace ctxmgr::bpe
