#include "adapters/bpe/pretokenizer.hpp"

#include <initializer_list>

namespace ctxmgr::bpe {
namespace {

// A set of classes, a bit each.
constexpr std::uint32_t set_of(std::initializer_list<CharClass> classes) {
  std::uint32_t bits = 0;
  for (const CharClass c : classes) bits |= 1U << static_cast<unsigned>(c);
  return bits;
}
constexpr std::uint32_t letters = set_of({CharClass::upper, CharClass::lower, CharClass::letter});
constexpr std::uint32_t not_upper = set_of({CharClass::lower, CharClass::letter, CharClass::mark});
constexpr std::uint32_t not_lower = set_of({CharClass::upper, CharClass::letter, CharClass::mark});
constexpr std::uint32_t symbols = set_of({CharClass::other, CharClass::mark, CharClass::malformed});
constexpr std::uint32_t spaces = set_of({CharClass::space, CharClass::newline});
constexpr std::uint32_t word_leads = symbols | set_of({CharClass::space});

bool is_in(CharClass c, std::uint32_t set) { return (set >> static_cast<unsigned>(c) & 1U) != 0; }

std::size_t run_end(std::string_view text, std::size_t pos, std::uint32_t set) {
  for (Char next = char_at(text, pos); is_in(next.char_class, set); next = char_at(text, pos)) pos += next.bytes;
  return pos;
}

// Upper-case letters, then lower-case ones, as o200k splits words: U*L+ before U+L*, where letters without case and
// marks are both. Without lower case behind it, the run U* gives back what follows its last caseless character.
std::size_t cased_word_end(std::string_view text, std::size_t pos) {
  std::size_t end = pos;
  std::size_t caseless_end = pos;
  Char next = char_at(text, end);
  for (; is_in(next.char_class, not_lower); next = char_at(text, end)) {
    end += next.bytes;
    if (next.char_class != CharClass::upper) caseless_end = end;
  }
  if (next.char_class == CharClass::lower) return run_end(text, end, not_upper);
  return caseless_end > pos ? caseless_end : end;
}

// A word at `pos`, led by at most one character that is neither letter, number nor line end; or `pos`.
template <SplitPattern pattern>
std::size_t word_end(std::string_view text, std::size_t pos, Char first) {
  const bool led = is_in(first.char_class, word_leads);
  if (!led && !is_in(first.char_class, letters)) return pos;
  const std::size_t start = led ? pos + first.bytes : pos;
  if constexpr (pattern != SplitPattern::o200k) {
    const std::size_t end = run_end(text, start, letters);
    return end > start ? end : pos;
  } else {
    std::size_t end = cased_word_end(text, start);
    // A mark leads a word only if the rest has something in lower case; otherwise it is the word's last character.
    if (first.char_class == CharClass::mark) {
      bool upper_only = end > start;
      for (std::size_t i = start; i < end && upper_only; i += char_at(text, i).bytes) {
        upper_only = char_at(text, i).char_class == CharClass::upper;
      }
      if (end == start || upper_only) end = start;
    } else if (end == start) {
      return pos;
    }
    return contraction_end(text, end);
  }
}

std::size_t number_end(std::string_view text, std::size_t pos, int digits) {
  for (; digits > 0; --digits) {
    const Char next = char_at(text, pos);
    if (next.char_class != CharClass::number) break;
    pos += next.bytes;
  }
  return pos;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t space_end(std::string_view text, std::size_t pos) {
  std::size_t line_end = pos;
  std::size_t last = pos;
  std::size_t end = pos;
  Char next = char_at(text, end);
  for (; is_in(next.char_class, spaces); next = char_at(text, end)) {
    last = end;
    end += next.bytes;
    if (next.char_class == CharClass::newline) line_end = end;
  }
  if (line_end > pos) return line_end;
  return next.char_class == CharClass::end || last == pos ? end : last;
}

}  // namespace

std::size_t contraction_end(std::string_view text, std::size_t pos) {
  const auto folded = [&](std::size_t i) { return pos + i < text.size() ? text[pos + i] | 0x20 : 0; };
  if (pos >= text.size() || text[pos] != '\'') return pos;
  const int first = folded(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return pos + 2;
  const int second = folded(2);
  if ((first == 'r' || first == 'v') && second == 'e') return pos + 3;
  if (first == 'l' && second == 'l') return pos + 3;
  if (text.substr(pos + 1, 2) == "\xC5\xBF") return pos + 3;  // U+017F, long s, folds to s
  return pos;
}

template <SplitPattern pattern>
PieceEnd piece_end_by_character(std::string_view text, std::size_t pos) {
  const Char first = char_at(text, pos);
  bool malformed = first.char_class == CharClass::malformed;
  std::size_t end = pos;
  if (pattern != SplitPattern::o200k) end = contraction_end(text, pos);
  if (end == pos) end = word_end<pattern>(text, pos, first);
  if (end > pos) return {end, malformed};
  if (first.char_class == CharClass::number) {
    return {number_end(text, pos, pattern == SplitPattern::qwen ? 1 : 3), malformed};
  }
  const std::size_t start = text[pos] == ' ' ? pos + 1 : pos;
  end = start;
  for (Char next = char_at(text, end); is_in(next.char_class, symbols); next = char_at(text, end)) {
    malformed = malformed || next.char_class == CharClass::malformed;
    end += next.bytes;
  }
  if (end == start) return {space_end(text, pos), malformed};
  while (end < text.size() &&
         (text[end] == '\n' || text[end] == '\r' || (pattern == SplitPattern::o200k && text[end] == '/'))) {
    ++end;
  }
  return {end, malformed};
}

template PieceEnd piece_end_by_character<SplitPattern::cl100k>(std::string_view, std::size_t);
template PieceEnd piece_end_by_character<SplitPattern::qwen>(std::string_view, std::size_t);
template PieceEnd piece_end_by_character<SplitPattern::o200k>(std::string_view, std::size_t);

}  // namespace ctxmgr::bpe
