#include "engine/words/asking.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "engine/structure/case_folding.hpp"
#include "engine/structure/lexicon.hpp"

namespace ctxmgr::engine {
namespace {

/// ASCII, Spanish, Greek, Arabic, full width, Armenian, Ethiopic; where a question ends or begins.
constexpr std::string_view question_marks[] = {"?", "\u00bf", "\u037e", "\u061f", "\uff1f", "\u055e", "\u1367"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool stands(std::string_view text, std::string_view word) {
  const bool is_stem = word.back() == '*', is_end = word.front() == '*';
  if (is_stem) word.remove_suffix(1);
  if (is_end) word.remove_prefix(1);
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = is_end || at == 0 || !is_letter(text[at - 1]);
    if (begins && (is_stem || end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

bool ends_sentence(std::string_view before) {
  constexpr std::string_view exclamation = "\u00a1";
  if (before.ends_with(exclamation)) before.remove_suffix(exclamation.size());
  const auto last = before.find_last_not_of(" \t\"'(*->");
  if (last == std::string_view::npos || before[last] == '\n') return true;
  return last + 1 < before.size() && std::string_view(".!:;").find(before[last]) != std::string_view::npos;
}

/// What follows is a word, too: "name: x" and "name = x" are no requests.
bool begins_sentence(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto after = text.substr(at + word.size());
    const auto next = after.find_first_not_of(" \t\"'(");
    if (next != 0 && next != std::string_view::npos && is_letter(after[next]) && ends_sentence(text.substr(0, at)))
      return true;
  }
  return false;
}

constexpr std::size_t longest_read = 4'000;  // Bytes at each end: who pastes more asks before or behind it.

using Holds = bool (*)(std::string_view text, std::string_view word);

bool any(WordList list, std::string_view text, Holds holds) {
  const auto& words = words_of(list);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return holds(text, word); });
}

bool wants_politely_in(std::string_view piece) {
  auto text = fold_case(piece);
  // "请求" is a request that is told of.
  for (const std::string_view told : {"请求", "請求"})
    for (auto at = text.find(told); at != std::string::npos; at = text.find(told)) text.erase(at, told.size());
  return any(WordList::polite, text, stands);
}

bool requests_in(std::string_view piece) {
  return wants_politely_in(piece) || any(WordList::requests, fold_case(piece), begins_sentence);
}

bool asks_in(std::string_view piece) {
  if (has_question_mark(piece)) return true;
  const auto text = fold_case(piece);
  return any(WordList::asks, text, stands) || any(WordList::asks_first, text, begins_sentence);
}

/// Of a text that is too long, its ends.
bool holds_at_an_end(std::string_view text, bool (*holds)(std::string_view)) {
  if (text.size() <= 2 * longest_read) return holds(text);
  return holds(text.substr(0, longest_read)) || holds(text.substr(text.size() - longest_read));
}

}  // namespace

bool has_question_mark(std::string_view text) {
  return std::any_of(std::begin(question_marks), std::end(question_marks),
                     [text](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

bool asks(std::string_view text) { return holds_at_an_end(text, asks_in); }

bool wants_politely(std::string_view text) { return holds_at_an_end(text, wants_politely_in); }

bool requests(std::string_view text) { return asks(text) || holds_at_an_end(text, requests_in); }

}  // namespace ctxmgr::engine
