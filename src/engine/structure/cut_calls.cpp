#include <algorithm>

#include "engine/structure/json_syntax.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view call_start = "[call ";
constexpr std::string_view call_end = ")]";

// The members of long arguments stand alone; the first comes with the tool's name, the last with what closes the call.
void cut_arguments(std::string_view text, std::size_t begin, std::size_t end, std::vector<Atom>& atoms) {
  const std::size_t first = atoms.size();
  const std::string_view arguments = call_arguments(text.substr(begin, end - begin));
  if (is_json(arguments)) cut_json(arguments, atoms);
  const auto base = static_cast<std::uint32_t>(arguments.data() - text.data());
  for (std::size_t a = first; a < atoms.size(); ++a) {
    atoms[a].begin += base;
    atoms[a].end += base;
    atoms[a].paragraph_start = false;
  }
  if (atoms.size() == first) return add_atom(text, 0, begin, end, AtomKind::line, atoms);
  atoms[first].begin = static_cast<std::uint32_t>(begin);
  atoms.back().end = static_cast<std::uint32_t>(end);
}

}  // namespace

std::string_view call_arguments(std::string_view line) {
  const std::size_t open = line.find('(');
  if (open == std::string_view::npos || !line.starts_with(call_start) || !line.ends_with(call_end)) return {};
  return line.substr(open + 1, line.size() - call_end.size() - open - 1);
}

std::size_t find_calls(std::string_view text) {
  // From the end, so that what only mentions a call is none.
  std::size_t begin = text.size();
  while (begin > 0) {
    const std::size_t end = text[begin - 1] == '\n' ? begin - 1 : begin;
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(start, end - start);
    if (call_arguments(line).data() == nullptr) break;
    begin = start;
  }
  return begin;
}

void cut_calls(std::string_view text, std::size_t begin, std::vector<Atom>& atoms) {
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = atoms.size();
    if (end - begin <= longest_atom_bytes)
      add_atom(text, 0, begin, end, AtomKind::line, atoms);
    else
      cut_arguments(text, begin, end, atoms);
    if (first < atoms.size()) atoms[first].paragraph_start = true;
    begin = std::min(end + 1, text.size());
  }
}

}  // namespace ctxmgr::engine
