#include "engine/structure/sentences.hpp"

#include <algorithm>
#include <initializer_list>

#include "core/ascii.hpp"
#include "engine/structure/full_stop.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view closers = ".!?)]\"'*_";

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return text.ends_with(ending); });
}

bool is_greek(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c == '\xCE' || c == '\xCF'; });
}

/// How many bytes close at `at` a sentence that begins at `begin`: a full stop and its kin, with what may follow it.
std::size_t close_at(std::string_view text, std::size_t begin, std::size_t at, SentenceUse wanted) {
  const char c = text[at];
  if ((c & '\x80') != 0) {
    for (const std::string_view stop : {"\u3002", "\uFF01", "\uFF1F", "\u061F", "\u0964", "\u037E"})
      if (text.substr(at, stop.size()) == stop) return stop.size();
    return 0;
  }
  const bool question =
      c == ';' && at > 0 && (text[at - 1] & '\x80') != 0 && is_greek(text.substr(at - 1 - (at > 1), 2));
  if (c != '.' && c != '!' && c != '?' && !question) return 0;
  const auto end = std::min(text.find_first_not_of(closers, at + 1), text.size());
  if (end < text.size() && !ascii::is_blank(text[end])) return 0;
  const auto stop = c == '.' ? full_stop_at(text, begin, at, wanted != SentenceUse::pieces) : FullStop::ends;
  return stop == FullStop::ends || (stop == FullStop::doubtful && wanted == SentenceUse::parts) ? end - at : 0;
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view text, SentenceUse wanted) {
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    if (const auto sentence = ascii::trimmed(text.substr(begin, end - begin)); !sentence.empty())
      sentences.push_back(sentence);
    begin = end;
  };
  for (std::size_t at = 0; at < text.size();) {
    const bool is_line_end = text[at] == '\n' && wanted != SentenceUse::pieces;
    const auto closed = is_line_end ? 1 : close_at(text, begin, at, wanted);
    at += std::max<std::size_t>(1, closed);
    if (closed > 0) add(at);
  }
  add(text.size());
  return sentences;
}

bool is_question(std::string_view sentence) {
  sentence = ascii::trimmed(sentence);
  while (ends_with_any(sentence, {")", "\"", "'", "!"})) sentence.remove_suffix(1);
  if (ends_with_any(sentence, {"?", "\uFF1F", "\u061F", "\u037E", "吗"})) return true;
  return sentence.ends_with(';') && is_greek(sentence);
}

}  // namespace ctxmgr::engine
