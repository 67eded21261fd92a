#include <algorithm>

#include "core/ascii.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
void cut_lines(std::string_view text, ContentFormat format, std::vector<Atom>& atoms) {
  bool paragraph_start = true;
  std::uint32_t open = no_atom;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (ascii::trimmed(line).empty()) {
      paragraph_start = true;
    } else {
      const std::size_t first = atoms.size();
      const bool header = format == ContentFormat::table && (first == 0 || (first == 1 && is_table_rule(line)));
      const AtomKind kind = header ? AtomKind::frame : format == ContentFormat::table ? AtomKind::row : AtomKind::line;
      add_atom(text, 0, begin, end, kind, atoms);
      if (header && atoms.size() > first) open = static_cast<std::uint32_t>(first);
      for (std::size_t i = first; i < atoms.size(); ++i) atoms[i].open = open;
      if (header && first == 1) atoms[first].open = 0;
      if (atoms.size() > first) atoms[first].paragraph_start = paragraph_start || header;
      paragraph_start = false;
    }
    begin = end + 1;
  }
}

}  // namespace ctxmgr::engine
