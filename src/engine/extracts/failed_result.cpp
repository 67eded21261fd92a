#include "engine/extracts/failed_result.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_looked_at = 4'000;  // bytes
constexpr std::size_t longest_shown_line = 400;

/// "error: ..." at the margin is a tool's own word; "Error in the second edition" is not, unless the output begins with it.
bool is_error_line(std::string_view line, bool is_first) {
  for (const std::string_view word : {"Error", "ERROR", "error", "fatal", "Traceback", "Exception"}) {
    if (line.substr(0, word.size()) != word) continue;
    const char next = line.size() > word.size() ? line[word.size()] : ' ';
    if (next == ':' || (is_first && next == ' ')) return reports_error(line);
  }
  return false;
}

bool has_failed_code(std::string_view text) {
  for (const std::string_view word :
       {"returncode", "exit code", "Exit code", "Exit Code", "exit status", "return code"}) {
    const auto at = text.find(word);
    if (at == std::string_view::npos) continue;
    const auto digit = text.find_first_not_of(" :=>\"'", at + word.size());
    if (digit != std::string_view::npos && text[digit] >= '1' && text[digit] <= '9') return true;
  }
  return false;
}

}  // namespace

bool is_failed_result(std::string_view text) {
  text = text.substr(0, longest_looked_at);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, std::min(end - at, longest_shown_line));
    if (is_error_line(line, at == 0)) return true;
    at = end + 1;
  }
  return text.find("Traceback (most recent call last)") != std::string_view::npos || has_failed_code(text);
}

}  // namespace ctxmgr::engine
