#include <algorithm>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

struct Line {
  std::size_t begin = 0;  ///< Of what is not blank.
  std::size_t end = 0;
  std::size_t indent = 0;  ///< Bytes before it.
  std::size_t next = 0;    ///< Where the next line begins.

  [[nodiscard]] bool empty() const { return begin == end; }
};

Line line_at(std::string_view text, std::size_t at) {
  Line line;
  line.end = std::min(text.find('\n', at), text.size());
  line.next = std::min(line.end + 1, text.size());
  line.begin = at;
  while (line.begin < line.end && is_blank(text[line.begin])) ++line.begin;
  while (line.end > line.begin && is_blank(text[line.end - 1])) --line.end;
  line.indent = line.begin - at;
  return line;
}

// What stands above a declaration and belongs to it: comments, decorators, attributes.
bool is_preface(std::string_view line) {
  for (const std::string_view start : {"//", "/*", "*", "#", "--", "@", "[["})
    if (starts_with(line, start)) return true;
  return false;
}

bool is_brackets(std::string_view line) { return line.find_first_not_of("{}[]();,") == std::string_view::npos; }

class CodeCutter {
 public:
  CodeCutter(std::string_view text, std::vector<Atom>& atoms) : text_(text), atoms_(atoms) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) {
      const Line line = line_at(text_, at);
      at = line.next;
      if (line.empty())
        paragraph_start_ = true;
      else
        take(line);
    }
  }

 private:
  void take(const Line& line) {
    const std::string_view body = text_.substr(line.begin, line.end - line.begin);
    const std::size_t first = atoms_.size();
    add_atom(text_, 0, line.begin, line.end, AtomKind::line, atoms_);
    // What stands at the left margin begins something new, unless it closes what is open or a comment is about it.
    const bool margin = line.indent == 0 && !prefaced_ && !is_brackets(body);
    if (paragraph_start_ || margin) {
      atoms_[first].paragraph_start = true;
      paragraph_ = first;
      prefaced_ = true;
    }
    paragraph_start_ = false;
    if (prefaced_ && !is_preface(body)) {
      atoms_[paragraph_].section_start = heads_block(line);
      prefaced_ = false;
    }
  }

  // Whether deeper lines follow. What follows one line is what follows the brackets and blank lines after it, too: nothing
  // is looked at twice.
  [[nodiscard]] bool heads_block(const Line& line) {
    if (following_.next <= line.next) {
      following_ = line;
      do {
        following_ = line_at(text_, following_.next);
      } while (following_.next < text_.size() &&
               (following_.empty() || is_brackets(text_.substr(following_.begin, following_.end - following_.begin))));
    }
    return !following_.empty() && following_.indent > line.indent;
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  bool paragraph_start_ = true;
  bool prefaced_ = false;      ///< Nothing but comments has come since the paragraph began.
  std::size_t paragraph_ = 0;  ///< Its first atom.
  Line following_{};           ///< The next line that says something, once it was looked for.
};

}  // namespace

void cut_code(std::string_view text, std::vector<Atom>& atoms) { CodeCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
