#include "engine/structure/dense_view.hpp"

#include <algorithm>

#include "engine/structure/json_syntax.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

std::string dense_json_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = without_blanks(text.substr(0, end));
    if (!line.empty()) out.append(out.empty() ? "" : "\n").append(line);
    text.remove_prefix(std::min(end + 1, text.size()));
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

// Lines of calls, their arguments without blanks.
std::string dense_calls(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n') + 1, lines.size());
    const std::string_view line = end == 0 ? lines : lines.substr(0, end);
    const std::string_view arguments = call_arguments(line.substr(0, line.find('\n')));
    if (is_json(arguments)) {
      const auto before = static_cast<std::size_t>(arguments.data() - line.data());
      out.append(line.substr(0, before))
          .append(without_blanks(arguments))
          .append(line.substr(before + arguments.size()));
    } else {
      out += line;
    }
    lines.remove_prefix(line.size());
  }
  return out;
}

std::string dense_body(std::string_view text, ContentFormat format) {
  switch (format) {
    case ContentFormat::json:
      if (is_json(text)) return without_blanks(text);
      return is_json_lines(text) ? dense_json_lines(text) : std::string(text);
    case ContentFormat::log:
    case ContentFormat::text: return collapse_lines(text);
    default: return std::string(text);
  }
}

}  // namespace

std::string dense_view(std::string_view text, ContentFormat format) {
  const std::size_t calls = find_calls(text);
  return dense_body(text.substr(0, calls), format) + dense_calls(text.substr(calls));
}

}  // namespace ctxmgr::engine
