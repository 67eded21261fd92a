#include "engine/structure/lexicon.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/ascii.hpp"
#include "engine/structure/language_files.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::array<std::string_view, word_list_count> list_names = {"grammar",
                                                                      "asks",
                                                                      "asks first",
                                                                      "polite",
                                                                      "requests",
                                                                      "refers back",
                                                                      "talk",
                                                                      "tasks",
                                                                      "texts",
                                                                      "abbreviations",
                                                                      "from now on",
                                                                      "always",
                                                                      "told",
                                                                      "told at the end",
                                                                      "instructs",
                                                                      "begins a rule",
                                                                      "ends a rule",
                                                                      "takes back",
                                                                      "binds",
                                                                      "conditions",
                                                                      "duties",
                                                                      "before a rule",
                                                                      "so",
                                                                      "first person",
                                                                      "of others",
                                                                      "reports",
                                                                      "tells at the end",
                                                                      "asks without a mark"};

struct Lists {
  std::array<std::vector<std::string_view>, word_list_count> words;
  std::array<std::string, word_list_count> texts;
};

const Lists& lists_of_all() {
  static const Lists lists = [] {
    Lists all;
    for (const auto& language : all_languages())
      for (std::size_t l = 0; l < word_list_count; ++l)
        for (const auto word : language.lists[l]) {
          all.words[l].push_back(word);
          all.texts[l].append(all.texts[l].empty() ? "" : " ").append(word);
        }
    return all;
  }();
  return lists;
}

}  // namespace

std::optional<LanguageWords> read_language(std::string_view tag, std::string_view file) {
  LanguageWords language;
  language.tag = tag;
  std::vector<std::string_view>* list = nullptr;
  while (!file.empty()) {
    auto line = ascii::take_until(file, '\n');
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == ' ') {
      if (list == nullptr) return std::nullopt;
      while (!line.empty())
        if (const auto word = ascii::trimmed(ascii::take_until(line, ',')); !word.empty()) list->push_back(word);
      continue;
    }
    const auto name = ascii::take_until(line, ':');
    list = nullptr;
    const auto value = ascii::trimmed(line);
    if (!value.empty()) {
      if (name == "stemmer")
        language.stemmer = value;
      else if (name == "verb" && value == "last")
        language.verb_is_last = true;
      else if (name == "blanks" && value == "none")
        language.has_blanks = false;
      else
        return std::nullopt;
      continue;
    }
    const auto* const known = std::find(list_names.begin(), list_names.end(), name);
    if (known == list_names.end()) return std::nullopt;
    list = &language.lists[static_cast<std::size_t>(known - list_names.begin())];
  }
  return language;
}

const std::vector<LanguageWords>& all_languages() {
  static const std::vector<LanguageWords> languages = [] {
    std::vector<LanguageWords> all;
    for (const auto& file : language_files) {
      auto language = read_language(file.tag, file.text);
      assert(language);
      if (language) all.push_back(std::move(*language));
    }
    return all;
  }();
  return languages;
}

const std::vector<std::string_view>& words_of(WordList list) {
  return lists_of_all().words[static_cast<std::size_t>(list)];
}

const std::string& joined_words_of(WordList list) { return lists_of_all().texts[static_cast<std::size_t>(list)]; }

}  // namespace ctxmgr::engine
