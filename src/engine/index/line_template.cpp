#include "engine/index/line_template.hpp"

#include <cstddef>

#include "core/ascii.hpp"
#include "engine/index/term_analysis.hpp"

namespace ctxmgr::engine {
namespace {

bool is_separator(char c) { return std::string_view(" \t=,;()[]{}<>\"'|").find(c) != std::string_view::npos; }

}  // namespace

std::uint64_t template_of(std::string_view line) {
  std::uint64_t hash = 1;
  bool masked = false;  // several masked words in a row count as one, as in "12:00 01" and "12:00"
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    bool digits = false;
    while (end < line.size() && !is_separator(line[end])) digits = ascii::is_digit(line[end++]) || digits;
    if (end > at && !(digits && masked))
      hash = (hash ^ (digits ? 0 : hash_term(line.substr(at, end - at)))) * 0x9FB21C651E98DF25U;
    if (end > at) masked = digits;
    at = end + 1;
  }
  return hash | 1;
}

}  // namespace ctxmgr::engine
