#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/bpe/ascii_block.hpp"
#include "adapters/bpe/char_class.hpp"

namespace ctxmgr::bpe {

/// The regular expressions by which encodings split a text before merging, each written by hand. They are:
///
///     cl100k  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
///             |\s*[\r\n]+|\s+(?!\S)|\s+                      cl100k_base, Llama 3
///     qwen    the same with \p{N} for \p{N}{1,3}             Qwen 2 and 3
///     o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
///             |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
///             |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
enum class SplitPattern { cl100k, qwen, o200k };

/// Where a piece ends, and whether it has bytes that are not UTF-8, which are split as the U+FFFD that they stand for.
struct PieceEnd {
  std::size_t end;
  bool malformed;
};

/// The piece that starts at `pos`. Character by character: what `piece_end` uses beyond ASCII, and what tests compare it
/// with. \pre `pos` is less than the size of the text, and at the start of a piece.
template <SplitPattern pattern>
PieceEnd piece_end_by_character(std::string_view text, std::size_t pos);

/// (?i:'s|'t|'re|'ve|'m|'ll|'d) at `pos`: where it ends, or `pos`.
std::size_t contraction_end(std::string_view text, std::size_t pos);

namespace ascii {

enum Kind : std::uint8_t { symbol, letter, digit, blank, space, newline, beyond };

inline constexpr std::array<Kind, 256> kinds = [] {
  std::array<Kind, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    table[c] = c >= 0x80                ? beyond
               : is_letter              ? letter
               : c >= '0' && c <= '9'   ? digit
               : c == ' '               ? blank
               : c == '\n' || c == '\r' ? newline
               : c >= '\t' && c <= '\r' ? space
                                        : symbol;
  }
  return table;
}();

/// Of the byte at `pos`, which may be in the room behind the text.
inline Kind kind_at(std::string_view text, std::size_t pos) {
  return kinds[static_cast<unsigned char>(text.data()[pos])];
}

/// The fast paths below return this where they leave the piece to `piece_end_by_character`.
inline constexpr std::size_t undecided = 0;

/// They may read so many bytes from the start of a piece on. What is behind the end of the text has to be zeros there,
/// which are symbols and so end everything but symbols.
inline constexpr std::size_t lookahead = 24;

/// A word whose first letter is at `pos`.
template <SplitPattern pattern>
std::size_t word_end(std::string_view text, std::size_t pos) {
  const AsciiBlock block(text.data() + pos);
  const std::uint32_t upper = block.upper();
  const std::uint32_t lower = block.lower();
  std::uint32_t letters = 0;
  if constexpr (pattern == SplitPattern::o200k) {  // upper case, then lower case
    letters = static_cast<std::uint32_t>(std::countr_one(upper));
    letters += static_cast<std::uint32_t>(std::countr_one(lower >> letters));
  } else {
    letters = static_cast<std::uint32_t>(std::countr_one(upper | lower));
  }
  if (letters >= 16) return undecided;
  const std::size_t end = pos + letters;
  if (kind_at(text, end) == beyond) return undecided;
  return pattern == SplitPattern::o200k && text.data()[end] == '\'' ? contraction_end(text, end) : end;
}

template <SplitPattern pattern>
std::size_t number_end(std::string_view text, std::size_t pos) {
  const std::size_t most = pattern == SplitPattern::qwen ? 1 : 3;
  std::size_t end = pos + 1;
  while (end < pos + most && kind_at(text, end) == digit) ++end;
  return end < pos + most && kind_at(text, end) == beyond ? undecided : end;
}

/// Symbols from `pos` on, and line ends behind them.
template <SplitPattern pattern>
std::size_t symbols_end(std::string_view text, std::size_t pos) {
  while (pos < text.size() && kind_at(text, pos) == symbol) ++pos;
  if (pos < text.size() && kind_at(text, pos) == beyond) return undecided;
  while (pos < text.size() &&
         (text[pos] == '\n' || text[pos] == '\r' || (pattern == SplitPattern::o200k && text[pos] == '/'))) {
    ++pos;
  }
  return pos;
}

inline std::size_t spaces_end(std::string_view text, std::size_t pos) {
  const AsciiBlock block(text.data() + pos);
  const auto length = static_cast<std::size_t>(std::countr_one(block.spaces()));
  if (length >= 16 || kind_at(text, pos + length) == beyond) return undecided;
  const std::uint32_t newlines = block.newlines() & ((1U << length) - 1);
  if (newlines != 0) return pos + static_cast<std::size_t>(std::bit_width(newlines));
  return length == 1 || pos + length == text.size() ? pos + length : pos + length - 1;
}

template <SplitPattern pattern>
std::size_t piece_end(std::string_view text, std::size_t pos) {
  const Kind first = kind_at(text, pos);
  const Kind second = kind_at(text, pos + 1);
  switch (first) {
    case letter: return word_end<pattern>(text, pos);
    case blank:
      if (second == letter) return word_end<pattern>(text, pos + 1);
      if (second == symbol) return symbols_end<pattern>(text, pos + 1);
      if (second == digit) return pos + 1;
      return second == beyond ? undecided : spaces_end(text, pos);
    case symbol:
      if (second == beyond || (pattern != SplitPattern::o200k && text[pos] == '\'')) return undecided;
      return second == letter ? word_end<pattern>(text, pos + 1) : symbols_end<pattern>(text, pos);
    case digit: return number_end<pattern>(text, pos);
    case space: return second == letter ? word_end<pattern>(text, pos + 1) : spaces_end(text, pos);
    case newline: return spaces_end(text, pos);
    case beyond: break;
  }
  return undecided;
}

}  // namespace ascii

/// As `piece_end_by_character`. \pre `ascii::lookahead` bytes can be read at `pos`.
template <SplitPattern pattern>
inline PieceEnd piece_end(std::string_view text, std::size_t pos) {
  const std::size_t end = ascii::piece_end<pattern>(text, pos);
  return end != ascii::undecided ? PieceEnd{end, false} : piece_end_by_character<pattern>(text, pos);
}

/// Calls `on_piece(piece, stays)` for every piece until it returns false, then `at_end()` while those that stay are still
/// there: those that had to be repaired do not. Eight bytes can be read from the start of a piece on.
template <SplitPattern pattern, class OnPiece, class AtEnd>
void split(std::string_view text, const OnPiece& on_piece, const AtEnd& at_end) {
  // The last few bytes, or a short text, are copied to where there is room behind them. First come the pieces that start
  // before those.
  constexpr std::size_t most_copied = 8 * ascii::lookahead;
  std::size_t last = text.size() <= most_copied ? 0 : text.size() - (ascii::lookahead - 1);
  char padded[most_copied + ascii::lookahead];
  std::size_t pos = 0;
  for (bool is_rest = false;; is_rest = true) {
    while (pos < last) {
      const auto [end, malformed] = piece_end<pattern>(text, pos);
      const std::string_view piece(text.data() + pos, end - pos);
      pos = end;
      bool goes_on = true;
      if (malformed) {
        const std::string repaired = repair_utf8(piece) + std::string(8, '\0');
        goes_on = on_piece(std::string_view(repaired).substr(0, repaired.size() - 8), false);
      } else {
        goes_on = on_piece(piece, true);
      }
      if (!goes_on) return at_end();
    }
    if (is_rest) return at_end();
    std::fill_n(std::copy_n(text.data() + pos, text.size() - pos, padded), ascii::lookahead, '\0');
    text = {padded, text.size() - pos};
    last = text.size();
    pos = 0;
  }
}

}  // namespace ctxmgr::bpe
