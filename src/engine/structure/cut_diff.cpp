#include <algorithm>
#include <charconv>

#include "core/ascii.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

bool starts_hunk(std::string_view line) { return line.starts_with("@@ "); }

bool is_of_file(std::string_view line) {
  for (const std::string_view start : {"diff ", "+++ ", "--- ", "index ", "Index: ", "====="})
    if (line.starts_with(start)) return true;
  return false;
}

// "From: somebody", "Author: somebody": what is said of a change before its files.
bool is_mail_header(std::string_view line) {
  const std::size_t colon = line.find_first_of(": \t");
  return colon != std::string_view::npos && colon > 0 && line[colon] == ':' && line.substr(colon + 1, 1) != ":";
}

std::size_t hunk_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "3,4" and "3": how many lines a range of a hunk's header has.
std::size_t lines_of(std::string_view range) {
  const std::size_t comma = range.find(',');
  return comma == std::string_view::npos ? 1 : hunk_number(range.substr(comma + 1));
}

class DiffCutter {
 public:
  DiffCutter(std::string_view text, std::vector<Atom>& atoms) : text_(text), atoms_(atoms) {}

  void run() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = text_.substr(begin, end - begin);
      const std::size_t first = atoms_.size();
      const bool changed = take_of_hunk(line);
      if (ascii::trimmed(line).empty()) {
        paragraph_start_ = true;
      } else if (changed || !(starts_hunk(line) || is_of_file(line))) {
        add(begin, end, AtomKind::line);
        if (!changed && !hunk_is_open_) tell(first, end + 1);
      } else {
        add(begin, end, AtomKind::frame);
        head(line, first);
      }
      begin = end + 1;
    }
  }

 private:
  // Whether a line is of the hunk that is open, as its header counts.
  bool take_of_hunk(std::string_view line) {
    if (before_ == 0 && after_ == 0) return false;
    const char mark = line.empty() ? ' ' : line.front();
    if (mark == '\\') return true;
    const bool more = mark == '-'   ? before_ > 0
                      : mark == '+' ? after_ > 0
                                    : mark == ' ' || mark == '\t' || mark == '\r';
    if (!more) {
      before_ = after_ = 0;
      return false;
    }
    if (mark != '+') before_ -= std::min<std::size_t>(before_, 1);
    if (mark != '-') after_ -= std::min<std::size_t>(after_, 1);
    if (before_ == 0 && after_ == 0) hunk_is_open_ = false;
    return true;
  }

  void add(std::size_t begin, std::size_t end, AtomKind kind) {
    const std::size_t first = atoms_.size();
    add_atom(text_, 0, begin, end, kind, atoms_);
    for (std::size_t a = first; a < atoms_.size(); ++a) atoms_[a].open = open_;
    if (first == atoms_.size()) return;
    atoms_[first].paragraph_start = paragraph_start_;
    paragraph_start_ = false;
  }

  // A hunk shows its file as well, and a file the change that it is of.
  void head(std::string_view line, std::size_t first) {
    if (first == atoms_.size()) return;
    atoms_[first].paragraph_start = true;
    open_ = static_cast<std::uint32_t>(first);
    if (starts_hunk(line)) {
      atoms_[first].open = file_;
      count(line);
      return;
    }
    atoms_[first].open = change_ == no_atom ? open_ : change_;
    atoms_[first].section_start = !in_file_header_;
    in_file_header_ = true;
    hunk_is_open_ = false;
    file_ = open_;
  }

  void count(std::string_view line) {
    const std::size_t minus = line.find('-');
    const std::size_t plus = line.find(" +");
    before_ = after_ = 0;
    in_file_header_ = false;
    hunk_is_open_ = true;
    if (minus == std::string_view::npos || plus == std::string_view::npos || plus < minus) return;
    before_ = lines_of(line.substr(minus, plus - minus));
    after_ = lines_of(line.substr(plus + 1, line.find(' ', plus + 1) - plus - 1));
  }

  // Before its files a change is named, and what it is about is said. Its name is the line above the first "Author: …".
  void tell(std::size_t first, std::size_t next) {
    if (first == atoms_.size()) return;
    const std::string_view below = text_.substr(std::min(next, text_.size())).substr(0, 100);
    const bool names = atoms_[first].paragraph_start || atoms_[first].begin == 0 || file_ != no_atom;
    if (names && (change_ == no_atom || file_ != no_atom) && is_mail_header(below.substr(0, below.find('\n')))) {
      change_ = static_cast<std::uint32_t>(first);
      file_ = no_atom;
      atoms_[first].kind = AtomKind::frame;
      atoms_[first].section_start = true;
      atoms_[first].paragraph_start = true;
      atoms_[first].open = no_atom;
      open_ = change_;
      in_file_header_ = false;
    } else if (file_ != no_atom) {
      for (std::size_t a = first; a < atoms_.size(); ++a) atoms_[a].open = no_atom;
    }
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  bool paragraph_start_ = true;
  bool hunk_is_open_ = false;
  bool in_file_header_ = false;
  std::size_t before_ = 0;  ///< Lines of the hunk that are still to come: of the file as it was,
  std::size_t after_ = 0;   ///< and as it is.
  std::uint32_t open_ = no_atom;
  std::uint32_t file_ = no_atom;    ///< The last line of the file's header.
  std::uint32_t change_ = no_atom;  ///< The line that names the change: "commit 1a2b…".
};

}  // namespace

void cut_diff(std::string_view text, std::vector<Atom>& atoms) { DiffCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
