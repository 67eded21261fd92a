#include "engine/structure/json_syntax.hpp"

#include <algorithm>

#include "core/json/json.hpp"
#include "core/json/lexer.hpp"

namespace ctxmgr::engine {
namespace {

std::string_view without_outer_blanks(std::string_view text) {
  while (!text.empty() && is_json_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_container(std::string_view text) {
  return text.size() >= 2 &&
         ((text.front() == '{' && text.back() == '}') || (text.front() == '[' && text.back() == ']'));
}

}  // namespace

bool is_json(std::string_view text) { return ctxmgr::is_json(text); }

bool is_json_lines(std::string_view text) {
  std::size_t values = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_outer_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!is_container(line) || !is_json(line)) return false;
    ++values;
  }
  return values >= 2;
}

std::string without_blanks(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (JsonToken token = next_json_token(json, 0); token; token = next_json_token(json, token.end))
    out += json.substr(token.begin, token.end - token.begin);
  return out;
}

}  // namespace ctxmgr::engine
