#include "engine/index/languages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "core/ascii.hpp"
#include "engine/structure/lexicon.hpp"

namespace ctxmgr::engine {
namespace {

// By the enumerators of `Language`.
constexpr std::array<const char*, language_count> stemmers = {"english", "german",     "french",  "spanish",
                                                              "italian", "portuguese", "dutch",   "swedish",
                                                              "danish",  "norwegian",  "finnish", "russian"};

// The languages that have a stemmer, in that order.
const std::array<const LanguageWords*, language_count>& table() {
  static const auto languages = [] {
    std::array<const LanguageWords*, language_count> found{};
    for (const auto& language : all_languages()) {
      const auto* const at = std::find(stemmers.begin(), stemmers.end(), language.stemmer);
      if (at != stemmers.end()) found[static_cast<std::size_t>(at - stemmers.begin())] = &language;
    }
    return found;
  }();
  return languages;
}

using LanguageSet = std::uint32_t;

// All words of the table by their first bytes and their length, in a hash table that is mostly empty: nearly every word of
// a text is asked for, and most are in no list.
class Lookup {
 public:
  Lookup() : slots_(slot_count) {
    for (std::size_t i = 0; i < language_count; ++i)
      for (const auto word : table()[i]->of(WordList::grammar)) {
        Slot& slot = slots_[slot_of(word)];
        slot.word = word;
        slot.languages |= LanguageSet{1} << i;
      }
  }

  LanguageSet find(std::string_view word) const { return slots_[slot_of(word)].languages; }

 private:
  static constexpr std::size_t slot_count = 4096;

  struct Slot {
    std::string_view word;
    LanguageSet languages = 0;
  };

  // Where the word is, or the empty slot where it would be.
  std::size_t slot_of(std::string_view word) const {
    std::uint64_t start = 0;
    std::memcpy(&start, word.data(), std::min(word.size(), sizeof start));
    auto slot = static_cast<std::size_t>(((start ^ word.size()) * 0x9E3779B97F4A7C15U) >> 52);
    while (!slots_[slot].word.empty() && slots_[slot].word != word) slot = (slot + 1) % slot_count;
    return slot;
  }

  std::vector<Slot> slots_;
};

LanguageSet languages_of(std::string_view folded_word) {
  static const Lookup lookup;
  return lookup.find(folded_word);
}

bool is_letter_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '\'';
}

// Quotes around a word are none of it; within it they are ("don't", "l'eau").
std::string_view without_quotes(std::string_view word) {
  while (!word.empty() && word.front() == '\'') word.remove_prefix(1);
  while (!word.empty() && word.back() == '\'') word.remove_suffix(1);
  return word;
}

// Whether letters are a piece of a path, an address, a checksum: "ha" of "sha512-ha/8+d==" is no word of any language.
bool is_part_of_name(std::string_view text, std::size_t begin, std::size_t end) {
  const auto joins = [](char c) {
    return (c >= '0' && c <= '9') || std::string_view("_/+=@#\\&%$").find(c) != std::string_view::npos;
  };
  if (begin > 0 && (joins(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '-')) return true;
  if (end >= text.size()) return false;
  const bool goes_on = end + 1 < text.size() && (is_letter_byte(text[end + 1]) || joins(text[end + 1]));
  return joins(text[end]) || (goes_on && (text[end] == '.' || text[end] == '-'));
}

// Cheap folding: ASCII, Latin-1 and Cyrillic capitals as they stand in UTF-8. Enough to recognise function words.
void fold_into(std::string_view word, std::string& folded) {
  folded.assign(word);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    char& c = folded[i];
    c = ascii::lower_case(c);
    if (i + 1 == folded.size()) continue;
    const auto next = static_cast<unsigned char>(folded[i + 1]);
    if (c == '\xC3' && next >= 0x80 && next <= 0x9E) folded[i + 1] = static_cast<char>(next + 0x20);
    if (c == '\xD0' && next >= 0x90 && next <= 0x9F) folded[i + 1] = static_cast<char>(next + 0x20);
    if (c == '\xD0' && next >= 0xA0 && next <= 0xAF) {
      c = '\xD1';
      folded[i + 1] = static_cast<char>(next - 0x20);
    }
  }
}

}  // namespace

const char* stemmer_name(Language language) { return stemmers[static_cast<std::size_t>(language)]; }

bool is_function_word(std::string_view folded_word, Language language) {
  return (languages_of(folded_word) >> static_cast<unsigned>(language) & 1) != 0;
}

std::optional<Language> recognize_language(std::string_view text) {
  constexpr std::size_t sample_words = 400;
  std::array<std::size_t, language_count> hits{};
  std::array<std::size_t, language_count> last{};  // Words up to the last hit.
  std::string folded;
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size() && words < sample_words;) {
    if (!is_letter_byte(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_letter_byte(text[end])) ++end;
    ++words;
    if (end - i <= 20 && !is_part_of_name(text, i, end)) {
      fold_into(without_quotes(text.substr(i, end - i)), folded);
      const LanguageSet languages = languages_of(folded);
      for (std::size_t l = 0; languages != 0 && l < hits.size(); ++l)
        if ((languages >> l & 1) != 0) ++hits[l], last[l] = words;
    }
    i = end;
  }
  const auto best = static_cast<std::size_t>(std::max_element(hits.begin(), hits.end()) - hits.begin());
  // In prose at least every third word is one of these; among names and numbers a few are so by accident.
  const bool sure = hits[best] >= 3 && (best == 0 || (2 * hits[best] >= 3 * hits[0] && 12 * hits[best] >= last[best]));
  return sure ? std::optional(static_cast<Language>(best)) : std::nullopt;
}

Language detect_language(std::string_view text) { return recognize_language(text).value_or(Language::english); }

std::optional<Language> language_of_name(std::string_view name) {
  const std::string_view tag = name.substr(0, name.find('-'));
  for (std::size_t l = 0; l < language_count; ++l)
    if (name == stemmers[l] || tag == table()[l]->tag) return static_cast<Language>(l);
  return tag == "nb" || tag == "nn" ? std::optional(Language::norwegian) : std::nullopt;
}

}  // namespace ctxmgr::engine
