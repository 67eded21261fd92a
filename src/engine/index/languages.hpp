#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ctxmgr::engine {

/// Languages with a stemmer. The value is an index into tables of this layer; never stored.
enum class Language : std::uint8_t {
  english,
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  swedish,
  danish,
  norwegian,
  finnish,
  russian,
};

inline constexpr int language_count = 12;

/// Name by which the stemming library knows it.
[[nodiscard]] const char* stemmer_name(Language language);

/// Whether a folded word carries grammar rather than content in that language.
[[nodiscard]] bool is_function_word(std::string_view folded_word, Language language);

/// The language that most function words at the start of a text belong to; nothing where there is little evidence.
[[nodiscard]] std::optional<Language> recognize_language(std::string_view text);

/// The same; English where there is little evidence.
[[nodiscard]] Language detect_language(std::string_view text);

/// By an English name or a language tag (BCP 47) in lower case: "german", "de", "de-AT".
[[nodiscard]] std::optional<Language> language_of_name(std::string_view name);

}  // namespace ctxmgr::engine
