#include "adapters/bpe/pretokenizer.hpp"

namespace ctxmgr::bpe {
namespace {

bool is_cased_letter(CharClass c) { return c == CharClass::upper || c == CharClass::lower || c == CharClass::letter; }
bool is_space(CharClass c) { return c == CharClass::space || c == CharClass::newline; }
bool is_symbol(CharClass c) { return c == CharClass::other || c == CharClass::mark; }
bool may_lead_a_word(CharClass c) { return is_symbol(c) || c == CharClass::space; }

template <class Belongs>
std::size_t run_end(std::string_view text, std::size_t pos, const Belongs& belongs, bool& malformed) {
  Char next = char_at(text, pos);
  while (belongs(next.char_class)) {
    pos += next.bytes;
    next = char_at(text, pos);
  }
  malformed = malformed || next.char_class == CharClass::malformed;
  return pos;
}

// Upper-case letters, then lower-case ones, as o200k splits words: U*L+ before U+L*, where letters without case and
// marks are both. Without lower case behind it, the run U* gives back what follows its last caseless character.
std::size_t cased_word_end(std::string_view text, std::size_t pos, bool& malformed) {
  std::size_t end = pos;
  std::size_t caseless_end = pos;
  Char next = char_at(text, end);
  for (; next.char_class == CharClass::upper || next.char_class == CharClass::letter ||
         next.char_class == CharClass::mark;
       next = char_at(text, end)) {
    end += next.bytes;
    if (next.char_class != CharClass::upper) caseless_end = end;
  }
  malformed = malformed || next.char_class == CharClass::malformed;
  const auto is_lower = [](CharClass c) {
    return c == CharClass::lower || c == CharClass::letter || c == CharClass::mark;
  };
  if (next.char_class == CharClass::lower) return run_end(text, end, is_lower, malformed);
  return caseless_end > pos ? caseless_end : end;
}

// A word at `pos`, led by at most one character that is neither letter, number nor line end; or `pos`.
template <SplitPattern pattern>
std::size_t word_end(std::string_view text, std::size_t pos, Char first, bool& malformed) {
  const bool led = may_lead_a_word(first.char_class);
  if (!led && !is_cased_letter(first.char_class)) return pos;
  const std::size_t start = led ? pos + first.bytes : pos;
  if constexpr (pattern != SplitPattern::o200k) {
    const std::size_t end = run_end(text, start, is_cased_letter, malformed);
    return end > start ? end : pos;
  } else {
    std::size_t end = cased_word_end(text, start, malformed);
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

std::size_t number_end(std::string_view text, std::size_t pos, int digits, bool& malformed) {
  for (; digits > 0; --digits) {
    const Char next = char_at(text, pos);
    malformed = malformed || next.char_class == CharClass::malformed;
    if (next.char_class != CharClass::number) break;
    pos += next.bytes;
  }
  return pos;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t space_end(std::string_view text, std::size_t pos, bool& malformed) {
  std::size_t line_end = pos;
  std::size_t last = pos;
  std::size_t end = pos;
  Char next = char_at(text, end);
  for (; is_space(next.char_class); next = char_at(text, end)) {
    last = end;
    end += next.bytes;
    if (next.char_class == CharClass::newline) line_end = end;
  }
  malformed = malformed || next.char_class == CharClass::malformed;
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
std::size_t piece_end_by_character(std::string_view text, std::size_t pos) {
  const Char first = char_at(text, pos);
  bool malformed = first.char_class == CharClass::malformed;
  std::size_t end = pos;
  if (pattern != SplitPattern::o200k) end = contraction_end(text, pos);
  if (end == pos) end = word_end<pattern>(text, pos, first, malformed);
  if (end == pos && first.char_class == CharClass::number) {
    end = number_end(text, pos, pattern == SplitPattern::qwen ? 1 : 3, malformed);
  }
  if (end == pos) {
    const std::size_t start = text[pos] == ' ' ? pos + 1 : pos;
    end = run_end(text, start, is_symbol, malformed);
    if (end == start) {
      end = space_end(text, pos, malformed);
    } else {
      while (end < text.size() &&
             (text[end] == '\n' || text[end] == '\r' || (pattern == SplitPattern::o200k && text[end] == '/'))) {
        ++end;
      }
    }
  }
  return malformed ? malformed_piece : end;
}

template std::size_t piece_end_by_character<SplitPattern::cl100k>(std::string_view, std::size_t);
template std::size_t piece_end_by_character<SplitPattern::qwen>(std::string_view, std::size_t);
template std::size_t piece_end_by_character<SplitPattern::o200k>(std::string_view, std::size_t);

}  // namespace ctxmgr::bpe
