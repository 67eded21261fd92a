#include "core/json/lexer.hpp"

#include <algorithm>

namespace ctxmgr {
namespace {

std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

constexpr bool is_structural(char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ','; }

std::size_t after_word(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_json_blank(text[at]) && !is_structural(text[at]) && text[at] != '"') ++at;
  return at;
}

}  // namespace

JsonToken next_json_token(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_blank(text[at])) ++at;
  if (at >= text.size()) return {0, text.size(), text.size()};
  const char c = text[at];
  if (is_structural(c)) return {c, at, at + 1};
  if (c == '"') return {c, at, after_string(text, at)};
  return {'0', at, after_word(text, at)};
}

}  // namespace ctxmgr
