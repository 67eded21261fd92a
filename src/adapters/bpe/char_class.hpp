#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/bpe/hashing.hpp"
#include "adapters/bpe/unicode_classes.inc"

namespace ctxmgr::bpe {

/// What the split patterns tell apart. The numbers are those of the generated table (Unicode 16.0, which is what the
/// reference's regular expressions use); the last two are never in it.
enum class CharClass : std::uint8_t {
  other,     ///< Punctuation, symbols, control characters, unassigned.
  upper,     ///< Lu, Lt
  lower,     ///< Ll
  letter,    ///< Lm, Lo: counts as upper and as lower case
  mark,      ///< M
  number,    ///< N
  space,     ///< White_Space but line feed and carriage return
  newline,   ///< Line feed, carriage return
  end,       ///< Past the end of the text
  malformed  ///< Not UTF-8, and so a symbol
};

/// A character of a text: its class and its bytes (zero at the end).
struct Char {
  CharClass char_class;
  std::uint8_t bytes;
};

inline CharClass class_of(char32_t code_point) {
  return static_cast<CharClass>(class_blocks[class_block_of[code_point >> 7] * 128U + (code_point & 127U)]);
}

/// How many of the bytes at `pos`, which no character begins with, one U+FFFD stands for: as many as could have begun a
/// character (Unicode, "substitution of maximal subparts").
std::size_t malformed_bytes(std::string_view text, std::size_t pos);

/// The character at `pos`, for any bytes; malformed ones stand for U+FFFD.
inline Char char_at(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return {CharClass::end, 0};
  const auto lead = static_cast<unsigned char>(text[pos]);
  if (lead < 0x80) return {static_cast<CharClass>(class_blocks[class_block_of[0] * 128U + lead]), 1};
  const std::uint32_t bytes = load_four_bytes(text, pos);
  const auto six_bits = [&](unsigned byte) { return bytes >> 8 * byte & 63U; };
  if ((bytes & 0xC0C0F0U) == 0x8080E0U) {
    const char32_t value = (bytes & 15U) << 12U | six_bits(1) << 6U | six_bits(2);
    if (value >= 0x800 && value >> 11U != 0xD800U >> 11U) return {class_of(value), 3};
  } else if ((bytes & 0xC0E0U) == 0x80C0U) {
    const char32_t value = (bytes & 31U) << 6U | six_bits(1);
    if (value >= 0x80) return {class_of(value), 2};
  } else if ((bytes & 0xC0C0C0F8U) == 0x808080F0U) {
    const char32_t value = (bytes & 7U) << 18U | six_bits(1) << 12U | six_bits(2) << 6U | six_bits(3);
    if (value >= 0x10000 && value <= 0x10FFFF) return {class_of(value), 4};
  }
  return {CharClass::malformed, static_cast<std::uint8_t>(malformed_bytes(text, pos))};
}

/// The text with U+FFFD for each maximal part that is not UTF-8, as the WHATWG decoder and Python's "replace" put it.
std::string repair_utf8(std::string_view text);

}  // namespace ctxmgr::bpe
