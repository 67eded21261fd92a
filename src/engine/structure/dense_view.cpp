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
  if (format != ContentFormat::json) return std::string(text);
  if (is_json(text)) return without_blanks(text);
  return is_json_lines(text) ? dense_json_lines(text) : std::string(text);
}

}  // namespace

std::string dense_view(std::string_view text, ContentFormat format) {
  const std::size_t calls = find_calls(text);
  return dense_body(text.substr(0, calls), format) + dense_calls(text.substr(calls));
}

}  // namespace ctxmgr::engine
