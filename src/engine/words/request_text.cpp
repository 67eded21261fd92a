#include "engine/words/request_text.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "engine/words/asking.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_words_to_go_on = 3;
constexpr std::size_t most_bytes_to_go_on = 24;  // Of scripts without blanks, too.
constexpr std::size_t longest_aside = 400;       // bytes

bool is_short_without_names(std::string_view text) {
  if (text.size() > most_bytes_to_go_on) return false;
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    words += !ascii::is_blank(c) && !in_word ? 1 : 0;
    in_word = !ascii::is_blank(c);
  }
  const auto names = names_in(text);
  return words <= most_words_to_go_on && std::none_of(names.begin(), names.end(), is_identifier);
}

}  // namespace

RequestText read_request_text(std::string_view text) {
  RequestText read;
  read.bytes = text.size();
  read.has_question = has_question_mark(text);
  read.is_aside = text.size() <= longest_aside && asks(text);
  read.only_goes_on = !read.is_aside && is_short_without_names(text);
  return read;
}

}  // namespace ctxmgr::engine
