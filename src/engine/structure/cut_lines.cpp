#include <algorithm>

#include "core/ascii.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

/// The frames that the next line cannot do without: a table's header, a diff's hunk and its file.
class Frames {
 public:
  explicit Frames(ContentFormat format) : format_(format) {}

  AtomKind kind_of(std::string_view line, std::size_t at) const {
    if (format_ == ContentFormat::diff) return names_file(line) || starts_hunk(line) ? AtomKind::frame : AtomKind::line;
    if (format_ != ContentFormat::table) return AtomKind::line;
    return at == 0 || (at == 1 && is_table_rule(line)) ? AtomKind::frame : AtomKind::row;
  }

  /// The frame over a line, whose first atom is `at`. A table's header holds itself.
  std::uint32_t over(std::string_view line, std::size_t at, AtomKind kind) {
    const auto atom = static_cast<std::uint32_t>(at);
    if (kind != AtomKind::frame) return open_;
    if (format_ == ContentFormat::table) {
      const std::uint32_t above = at == 1 ? open_ : atom;
      open_ = atom;
      return above;
    }
    const bool is_file = names_file(line);
    if (is_file) file_ = atom;
    open_ = atom;
    return is_file ? no_atom : file_;
  }

 private:
  static bool names_file(std::string_view line) { return line.starts_with("+++ "); }
  static bool starts_hunk(std::string_view line) { return line.starts_with("@@ "); }

  ContentFormat format_;
  std::uint32_t open_ = no_atom;
  std::uint32_t file_ = no_atom;
};

}  // namespace

void cut_lines(std::string_view text, ContentFormat format, std::vector<Atom>& atoms) {
  bool paragraph_start = true;
  Frames frames(format);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (ascii::trimmed(line).empty()) {
      paragraph_start = true;
      continue;
    }
    const std::size_t first = atoms.size();
    const AtomKind kind = frames.kind_of(line, first);
    add_atom(text, 0, end - line.size(), end, kind, atoms);
    if (atoms.size() == first) continue;
    const std::uint32_t over = frames.over(line, first, kind);
    for (std::size_t a = first; a < atoms.size(); ++a) atoms[a].open = over;
    // A file of a diff begins a passage.
    atoms[first].section_start = format == ContentFormat::diff && line.starts_with("diff ");
    atoms[first].paragraph_start = paragraph_start || kind == AtomKind::frame;
    paragraph_start = false;
  }
}

}  // namespace ctxmgr::engine
