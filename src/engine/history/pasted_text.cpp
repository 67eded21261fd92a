#include "engine/history/pasted_text.hpp"

#include <algorithm>
#include <string>

#include "core/ascii.hpp"
#include "engine/history/instructions.hpp"
#include "engine/history/user_words.hpp"

namespace ctxmgr::engine {
namespace {

/// Nobody types so much in one line. What is longer is not quoted either.
constexpr std::size_t longest_own_line = 3'000;  // bytes

bool has_several_lines(std::string_view text) {
  for (const std::string_view end : {"\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"})
    if (text.find(end) != std::string_view::npos) return true;
  return false;
}

/// Whether anything is hidden in `own` that is more than a short quote within a sentence.
bool hides_more_than_quotes(std::string_view text, std::string_view own) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (own[at] == text[at]) continue;
    std::size_t end = at;
    while (end < text.size() && own[end] == ' ') ++end;
    if (!is_inline_quote(ascii::trimmed(text.substr(at, end - at)))) return true;
    at = end;
  }
  return ascii::trimmed(own).empty();
}

/// The bytes of a colon that stands at `at` with text behind it; 0 where there is none. "10:30" and "http://" have none.
std::size_t colon_before_text(std::string_view text, std::size_t at) {
  constexpr std::string_view wide = "\uFF1A";
  const bool is_wide = text.substr(at, wide.size()) == wide;
  if (!is_wide && text[at] != ':') return 0;
  const std::size_t bytes = is_wide ? wide.size() : 1;
  if (ascii::trimmed(text.substr(at + bytes)).empty()) return 0;
  const char next = text[at + bytes];
  return is_wide || ascii::is_blank(next) || (next & '\x80') != 0 ? bytes : 0;
}

/// "Tom wrote: …", "Summarise this mail: …", "Tom: …".
bool announces(std::string_view sentence) {
  for (std::size_t at = 0; at < sentence.size(); ++at)
    if (colon_before_text(sentence, at) > 0 && !only_introduces(sentence.substr(0, at))) return true;
  return false;
}

}  // namespace

bool may_hold_pasted_text(std::string_view message) {
  const auto text = ascii::trimmed(message);
  if (text.empty()) return false;
  if (text.size() > longest_own_line || has_several_lines(text)) return true;
  const auto own = own_words(text);
  if (hides_more_than_quotes(text, own) || announces(own)) return true;
  const auto sentences = sentences_of(own, true);
  return std::any_of(sentences.begin(), sentences.end(), reports_speech);
}

}  // namespace ctxmgr::engine
