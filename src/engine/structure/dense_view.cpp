#include "engine/structure/dense_view.hpp"

#include <algorithm>

namespace ctxmgr::engine {
namespace {

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool ends_token(char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':' || c == '"'; }

// Blanks between two tokens go, unless both are bare words, which only happens outside of JSON proper.
std::string compact_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size())
        out += text[++i];
      else if (c == '"')
        in_string = false;
    } else if (is_json_blank(c)) {
      std::size_t next = i;
      while (next < text.size() && is_json_blank(text[next])) ++next;
      const bool inside = !out.empty() && next < text.size();
      const bool new_value =
          inside && (out.back() == '}' || out.back() == ']') && (text[next] == '{' || text[next] == '[');
      if (new_value)
        out += '\n';
      else if (inside && !ends_token(out.back()) && !ends_token(text[next]))
        out += ' ';
      i = next - 1;
    } else {
      in_string = c == '"';
      out += c;
    }
  }
  return out;
}

std::string collapse_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    std::size_t next = std::min(end + 1, text.size());
    std::size_t repeats = 1;
    while (next < text.size() && end < text.size() && text.substr(next, line.size()) == line &&
           (next + line.size() == text.size() || text[next + line.size()] == '\n')) {
      next = std::min(next + line.size() + 1, text.size());
      ++repeats;
      if (line.empty() && next == text.size()) break;
    }
    const bool ended = text[next - 1] == '\n';
    out += line;
    if (line.empty() && repeats > 1) repeats = 1;
    if (repeats >= 3 && line.size() >= 8) {
      out += " [\u00D7" + std::to_string(repeats) + "]";
    } else {
      for (std::size_t i = 1; i < repeats; ++i) out.append("\n").append(line);
    }
    if (ended) out += '\n';
    at = next;
  }
  return out;
}

}  // namespace

std::string dense_view(std::string_view text, ContentFormat format) {
  switch (format) {
    case ContentFormat::json: return compact_json(text);
    case ContentFormat::log:
    case ContentFormat::text: return collapse_lines(text);
    default: return std::string(text);
  }
}

}  // namespace ctxmgr::engine
