#include <algorithm>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

bool is_diff_frame(std::string_view line) {
  return line.starts_with("@@ ") || line.starts_with("diff ") || line.starts_with("+++ ") || line.starts_with("--- ") ||
         line.starts_with("index ");
}

}  // namespace

void cut_lines(std::string_view text, ContentFormat format, std::vector<Atom>& atoms) {
  bool paragraph_start = true;
  std::uint32_t open = no_atom;
  std::uint32_t file = no_atom;  // Of a diff: the last line of the file's header.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (is_blank_line(line)) {
      paragraph_start = true;
    } else {
      const std::size_t first = atoms.size();
      const bool header = format == ContentFormat::table && (first == 0 || (first == 1 && is_table_rule(line)));
      const bool frame = header || (format == ContentFormat::diff && is_diff_frame(line));
      const AtomKind kind = frame ? AtomKind::frame : format == ContentFormat::table ? AtomKind::row : AtomKind::line;
      add_atom(text, 0, begin, end, kind, atoms);
      if (frame && atoms.size() > first) open = static_cast<std::uint32_t>(first);
      for (std::size_t i = first; i < atoms.size(); ++i) atoms[i].open = open;
      // A hunk shows its file as well.
      const bool hunk = line.starts_with("@@ ");
      if (frame && format == ContentFormat::diff && !hunk) file = open;
      if (frame && hunk) atoms[first].open = file;
      if (header && first == 1) atoms[first].open = 0;
      if (atoms.size() > first) atoms[first].paragraph_start = paragraph_start || frame;
      paragraph_start = false;
    }
    begin = end + 1;
  }
}

}  // namespace ctxmgr::engine
