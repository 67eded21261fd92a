#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t shortest_sentence = 25;  // bytes; shorter ones go with the next

bool is_closer(char c) { return c == '"' || c == '\'' || c == ')' || c == ']' || c == '*' || c == '_'; }

// Length of a full stop of CJK writing at `at`, or 0.
std::size_t wide_stop(std::string_view text, std::size_t at) {
  for (const std::string_view stop : {"\u3002", "\uFF01", "\uFF1F"})
    if (text.substr(at, stop.size()) == stop) return stop.size();
  return 0;
}

// Whether the stop at `at` belongs to an initial ("J. Cook", "U.S."), to a title or to a day or rank ("am 31. Mai").
bool abbreviates(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < 8 && !ascii::is_blank(text[begin - 1]) && text[begin - 1] != '.' &&
         text[begin - 1] != '(')
    --begin;
  const std::string_view word = text.substr(begin, at - begin);
  for (const std::string_view title : {"Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "cf"})
    if (word == title) return true;
  if (!word.empty() && word.size() <= 2 && word.find_first_not_of("0123456789") == std::string_view::npos) return true;
  const bool letter = !word.empty() && (word[0] < '0' || word[0] > '9');
  return letter && utf8::count_code_points(word) == 1;
}

// End of the sentence that `at` is in, one past its last character.
std::size_t sentence_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' || c == '!' || c == '?') {
      std::size_t end = at + 1;
      while (end < text.size() && is_closer(text[end])) ++end;
      if (end == text.size()) return end;
      if (ascii::is_blank(text[end]) && !(c == '.' && end == at + 1 && abbreviates(text, at))) return end;
    } else if (c == '\xE3' || c == '\xEF') {
      if (const std::size_t stop = wide_stop(text, at); stop != 0) return at + stop;
    }
  }
  return at;
}

}  // namespace

void cut_prose(std::string_view text, std::size_t base, std::vector<Atom>& atoms) {
  const std::size_t first = atoms.size();
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = sentence_end(text, begin);
    while (end < text.size() && end - begin < shortest_sentence) end = sentence_end(text, end + 1);
    // A short rest goes with the sentence before it.
    if (end - begin < shortest_sentence && atoms.size() > first)
      atoms.back().end = static_cast<std::uint32_t>(base + end);
    else
      add_atom(text, base, begin, end, AtomKind::sentence, atoms);
    begin = end;
    while (begin < text.size() && ascii::is_blank(text[begin])) ++begin;
  }
}

}  // namespace ctxmgr::engine
