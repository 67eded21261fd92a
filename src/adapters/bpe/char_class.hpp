#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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
  malformed  ///< Not UTF-8
};

/// A character of a text: its class and its bytes (zero at the end).
struct Char {
  CharClass char_class;
  std::uint8_t bytes;
};

inline CharClass class_of(char32_t code_point) {
  return static_cast<CharClass>(class_blocks[class_block_of[code_point >> 7] * 128U + (code_point & 127U)]);
}

/// The character at `pos`, for any bytes.
inline Char char_at(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return {CharClass::end, 0};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[pos + i]));
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {static_cast<CharClass>(class_blocks[class_block_of[0] * 128U + lead]), 1};
  const std::size_t left = text.size() - pos;
  if (lead >= 0xE0 && lead < 0xF0 && left > 2 && continues(1) && continues(2)) {
    const char32_t value = (lead & 15U) << 12U | (byte(1) & 63U) << 6U | (byte(2) & 63U);
    if (value >= 0x800 && (value < 0xD800 || value > 0xDFFF)) return {class_of(value), 3};
  } else if (lead >= 0xC2 && lead < 0xE0 && left > 1 && continues(1)) {
    return {class_of((lead & 31U) << 6U | (byte(1) & 63U)), 2};
  } else if (lead >= 0xF0 && lead < 0xF5 && left > 3 && continues(1) && continues(2) && continues(3)) {
    const char32_t value = (lead & 7U) << 18U | (byte(1) & 63U) << 12U | (byte(2) & 63U) << 6U | (byte(3) & 63U);
    if (value >= 0x10000 && value <= 0x10FFFF) return {class_of(value), 4};
  }
  return {CharClass::malformed, 1};
}

/// The text with U+FFFD for each maximal part that is not UTF-8, as the WHATWG decoder and Python's "replace" put it.
std::string repair_utf8(std::string_view text);

}  // namespace ctxmgr::bpe
