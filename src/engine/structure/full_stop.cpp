#include "engine/structure/full_stop.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/structure/lexicon.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_without_vowel = 5;  // letters: "Blvd"
constexpr std::size_t longest_of_dotted = 2;      // letters between the dots of "Ph.D"
constexpr std::size_t longest_day = 2;            // digits
constexpr std::size_t longest_item = 3;           // digits of a number in a list

char32_t decode_at(std::string_view text, std::size_t at) {
  return at < text.size() ? utf8::decode(text, at).value : U' ';
}

utf8proc_category_t letter_kind_of(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }
bool is_upper_case(char32_t c) { return letter_kind_of(c) == UTF8PROC_CATEGORY_LU; }
bool is_small(char32_t c) { return letter_kind_of(c) == UTF8PROC_CATEGORY_LL; }

/// Of Latin, Cyrillic and Greek; letters with marks count as vowels.
bool is_consonant(char32_t c) {
  constexpr std::u32string_view all = U"bcdfghjklmnpqrstvwxzбвгджзйклмнпрстфхцчшщбъьβγδζθκλμνξπρσςτφχψ";
  return all.find(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)))) !=
         std::u32string_view::npos;
}

struct Letters {
  std::size_t all = 0;
  std::size_t small = 0;
  std::size_t consonants = 0;
  bool is_plain = true;  ///< Nothing but letters that have a case.
};

Letters letters_of(std::string_view word) {
  Letters letters;
  for (std::size_t at = 0; at < word.size();) {
    const auto point = utf8::decode(word, at);
    at += point.bytes;
    ++letters.all;
    letters.small += is_small(point.value) ? 1U : 0U;
    letters.consonants += is_consonant(point.value) ? 1U : 0U;
    letters.is_plain = letters.is_plain && (is_small(point.value) || is_upper_case(point.value));
  }
  return letters;
}

std::size_t beginning_of_word(std::string_view text, std::size_t begin, std::size_t end) {
  auto first = end;
  while (first > begin && !ascii::is_blank(text[first - 1]) &&
         std::string_view("([{\"'*").find(text[first - 1]) == std::string_view::npos)
    --first;
  return first;
}

/// "i.e", "S.M.A.R.T"
bool is_dotted(std::string_view word) {
  if (word.find('.') == std::string_view::npos) return false;
  for (std::size_t begin = 0; begin <= word.size();) {
    const auto end = std::min(word.find('.', begin), word.size());
    const auto letters = letters_of(word.substr(begin, end - begin));
    if (letters.all == 0 || letters.all > longest_of_dotted || !letters.is_plain) return false;
    begin = end + 1;
  }
  return true;
}

FullStop stop_behind(std::string_view word, bool behind_number) {
  if (is_dotted(word)) return FullStop::doubtful;
  const auto& abbreviations = words_of(WordList::abbreviations);
  if (std::find(abbreviations.begin(), abbreviations.end(), word) != abbreviations.end()) return FullStop::inside;
  const auto letters = letters_of(word);
  if (!letters.is_plain || letters.all == 0) return FullStop::ends;
  if (behind_number && letters.small == letters.all) return FullStop::ends;  // "60 g."
  if (letters.all == 1) return FullStop::doubtful;
  const bool has_vowels = letters.small == 0 || letters.consonants < letters.all;
  return has_vowels || letters.all > longest_without_vowel ? FullStop::ends : FullStop::inside;
}

bool begins_with_capital(std::string_view sentence) {
  for (std::size_t at = 0; at < sentence.size();) {
    const auto point = utf8::decode(sentence, at);
    if (is_upper_case(point.value)) return true;
    if (is_small(point.value) || letter_kind_of(point.value) == UTF8PROC_CATEGORY_LO) return false;
    at += point.bytes;
  }
  return false;
}

bool is_plain_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), ascii::is_digit);
}

}  // namespace

FullStop full_stop_at(std::string_view text, std::size_t begin, std::size_t at, bool small_goes_on) {
  auto next = at + 1;
  while (next < text.size() && std::string_view(".!?)\"' \t\r").find(text[next]) != std::string_view::npos) ++next;
  const auto first = beginning_of_word(text, begin, at);
  const auto word = text.substr(first, at - first);
  const auto before = ascii::trimmed(text.substr(begin, first - begin));
  if (is_plain_number(word) && before.empty() && word.size() <= longest_item) return FullStop::inside;
  if (next >= text.size() || text[next] == '\n') return FullStop::ends;
  const auto follows = decode_at(text, next);
  if (small_goes_on && (is_small(follows) || letter_kind_of(follows) == UTF8PROC_CATEGORY_ND) &&
      begins_with_capital(text.substr(begin, at - begin)))
    return FullStop::inside;
  if (is_plain_number(word)) return word.size() <= longest_day ? FullStop::doubtful : FullStop::ends;
  return stop_behind(word, !before.empty() && ascii::is_digit(before.back()));
}

}  // namespace ctxmgr::engine
