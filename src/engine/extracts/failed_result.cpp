#include "engine/extracts/failed_result.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_looked_at = 4'000;  // bytes
constexpr std::size_t longest_shown_line = 400;

/// The first word of a line of output, and what stands behind it.
bool begins_with_word(std::string_view line, std::string_view word) {
  return line.substr(0, word.size()) == word &&
         (line.size() == word.size() || line[word.size()] == ':' || line[word.size()] == ' ');
}

bool is_first_line_of_failure(std::string_view line) {
  for (const std::string_view word : {"Error", "ERROR", "error", "fatal", "Traceback", "Exception"})
    if (begins_with_word(line, word)) return reports_error(line);
  return false;
}

/// Further down only "error: ..." at the margin is a tool's own word; "Error in the second edition" is not.
bool is_error_line(std::string_view line) {
  for (const std::string_view word : {"error:", "fatal:", "ERROR:", "Error:"})
    if (line.substr(0, word.size()) == word) return reports_error(line);
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
    if (at == 0 ? is_first_line_of_failure(line) : is_error_line(line)) return true;
    at = end + 1;
  }
  return text.find("Traceback (most recent call last)") != std::string_view::npos || has_failed_code(text);
}

}  // namespace ctxmgr::engine
