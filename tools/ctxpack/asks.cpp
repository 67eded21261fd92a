#include "asks.hpp"

#include <algorithm>

namespace ctxpack {
namespace {

/// Bytes of the white space at `i`: of ASCII, or one of Unicode's; 0 is none.
std::size_t white_space(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U; };
  const auto first = byte(0);
  if (first == ' ' || (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x1F)) return 1;
  if (first == 0xC2 && (byte(1) == 0xA0 || byte(1) == 0x85)) return 2;
  if (first == 0xE3 && byte(1) == 0x80 && byte(2) == 0x80) return 3;
  if (first != 0xE2) return 0;
  const bool narrow = byte(1) == 0x80 &&
                      ((byte(2) >= 0x80 && byte(2) <= 0x8A) || byte(2) == 0xA8 || byte(2) == 0xA9 || byte(2) == 0xAF);
  return narrow || (byte(1) == 0x81 && byte(2) == 0x9F) ? 3 : 0;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const bool is_escape = next == 'n' || next == 't' || next == '"' || next == '/';
    if (is_escape) ++i;
    plain += !is_escape ? text[i] : next == 'n' || next == 't' ? ' ' : next;
  }
  return plain;
}

bool continues(const std::string& text, std::size_t i) { return (text[i] & '\xC0') == '\x80'; }

/// The text around a place, so many characters on each side.
std::string_view around(const std::string& text, std::size_t first, std::size_t last, std::size_t characters) {
  for (std::size_t n = 0; n < characters && first > 0; ++n) do
      --first;
    while (first > 0 && continues(text, first));
  for (std::size_t n = 0; n < characters && last < text.size(); ++n) do
      ++last;
    while (last < text.size() && continues(text, last));
  return std::string_view(text).substr(first, last - first);
}

}  // namespace

std::string flat(std::string_view text) {
  const auto plain = without_escapes(text);
  std::string flat;
  flat.reserve(plain.size());
  for (std::size_t i = 0; i < plain.size();) {
    const auto space = white_space(plain, i);
    if (space == 0) {
      flat += plain[i++];
      continue;
    }
    if (i == 0 || flat.back() != ' ') flat += ' ';
    i += space;
  }
  return flat;
}

bool has_parts(const Ask& ask, const std::string& flat_text) {
  const auto stands_in = [](std::string_view text) {
    return [text](const std::string& part) { return text.find(part) != std::string_view::npos; };
  };
  if (ask.parts.empty() || !std::all_of(ask.parts.begin(), ask.parts.end(), stands_in(flat_text))) return false;
  if (ask.parts.size() == 1) return true;
  const auto& last = ask.parts.back();
  for (auto at = flat_text.find(last); at != std::string::npos; at = flat_text.find(last, at + last.size())) {
    const auto near = around(flat_text, at, at + last.size(), ask.within);
    if (std::all_of(ask.parts.begin(), ask.parts.end() - 1, stands_in(near))) return true;
  }
  return false;
}

bool counts(const Ask& ask, std::int64_t budget) { return ask.before > budget && 2 * ask.age > budget; }

std::vector<std::vector<Asked>> asked_by_step(const std::vector<Ask>& asks,
                                              const std::vector<ctxmgr::ConversationMessage>& messages,
                                              std::int64_t budget) {
  constexpr int steps_after = 4;
  std::vector<std::vector<Asked>> asked(messages.size());
  for (std::size_t n = 0; n < asks.size(); ++n) {
    int found = 0;
    for (auto step = asks[n].at + 1; counts(asks[n], budget) && step < messages.size() && found < steps_after; ++step)
      if (messages[step].role == ctxmgr::Role::assistant) asked[step].push_back({n, found++ == 0});
  }
  return asked;
}

}  // namespace ctxpack
