#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// What words are for. A file of data/languages has a list for each that its language needs; data/README.md says which
/// words belong into which.
enum class WordList : std::uint8_t {
  grammar,
  asks,
  asks_first,
  polite,
  requests,
  refers_back,
  talk,
  tasks,
  texts,
  abbreviations,
  from_now_on,
  always,
  told,
  told_at_the_end,
  instructs,
  begins_a_rule,
  ends_a_rule,
  takes_back,
  binds,
  conditions,
  duties,
  before_a_rule,
  so,
  first_person,
  of_others,
  reports,
  tells_at_the_end,
  asks_without_a_mark,
};

inline constexpr std::size_t word_list_count = 28;

/// The words of one language. The views point into its file.
struct LanguageWords {
  std::string_view tag{};      ///< ISO 639-1, the file's name.
  std::string_view stemmer{};  ///< Name by which the stemming library knows the language; empty: it does not.
  bool verb_is_last = false;   ///< An imperative stands at the end of its sentence.
  bool has_blanks = true;      ///< Words are set apart by blanks.
  std::array<std::vector<std::string_view>, word_list_count> lists{};

  [[nodiscard]] const std::vector<std::string_view>& of(WordList list) const {
    return lists[static_cast<std::size_t>(list)];
  }
};

/// Reads a language file; nothing where it has a list or a line of another name, or words outside of a list.
[[nodiscard]] std::optional<LanguageWords> read_language(std::string_view tag, std::string_view file);

/// The languages that were compiled in, by their tags.
[[nodiscard]] const std::vector<LanguageWords>& all_languages();

/// A list's words of all languages.
[[nodiscard]] const std::vector<std::string_view>& words_of(WordList list);

/// The same, separated by blanks.
[[nodiscard]] const std::string& joined_words_of(WordList list);

}  // namespace ctxmgr::engine
