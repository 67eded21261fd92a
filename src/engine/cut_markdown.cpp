#include <algorithm>

#include "engine/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

bool is_heading(std::string_view line) {
  std::size_t level = 0;
  while (level < line.size() && line[level] == '#') ++level;
  return level >= 1 && level <= 6 && level < line.size() && line[level] == ' ';
}

bool is_fence(std::string_view line) { return line.substr(0, 3) == "```" || line.substr(0, 3) == "~~~"; }

bool is_table_row(std::string_view line) { return line.size() >= 3 && line.front() == '|' && line.back() == '|'; }

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Walks over the lines of a text and hands each structure to its cutter.
class MarkdownCutter {
 public:
  MarkdownCutter(std::string_view text, std::vector<Atom>& atoms) : text_(text), atoms_(atoms) {}

  void run() {
    while (next_.begin < text_.size()) {
      const Line line = take();
      const std::string_view body = trimmed(text_.substr(line.begin, line.end - line.begin));
      if (body.empty()) {
        paragraph_start_ = true;
      } else if (is_fence(body)) {
        cut_fence(line, body.substr(0, 3));
      } else if (is_heading(body)) {
        add(line, AtomKind::heading, true);
        heading_ = static_cast<std::uint32_t>(atoms_.size() - 1);
        paragraph_start_ = true;
      } else if (is_table_row(body)) {
        cut_table(line);
      } else {
        cut_paragraph(line);
      }
    }
  }

 private:
  Line take() {
    const std::size_t begin = next_.begin;
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    next_.begin = std::min(end + 1, text_.size());
    return {begin, end};
  }

  [[nodiscard]] std::string_view peek() const {
    const std::size_t end = std::min(text_.find('\n', next_.begin), text_.size());
    return trimmed(text_.substr(next_.begin, end - next_.begin));
  }

  void finish(std::size_t first) {
    for (std::size_t i = first; i < atoms_.size(); ++i) {
      if (atoms_[i].kind != AtomKind::heading) atoms_[i].heading = heading_;
      atoms_[i].paragraph_start = paragraph_start_;
      paragraph_start_ = false;
    }
  }

  void add(Line line, AtomKind kind, bool paragraph_start) {
    const std::size_t first = atoms_.size();
    paragraph_start_ = paragraph_start_ || paragraph_start;
    add_atom(text_, 0, line.begin, line.end, kind, atoms_);
    finish(first);
  }

  void cut_paragraph(Line line) {
    const std::size_t first = atoms_.size();
    cut_prose(text_.substr(line.begin, line.end - line.begin), line.begin, atoms_);
    finish(first);
  }

  void cut_fence(Line line, std::string_view mark) {
    const auto open = static_cast<std::uint32_t>(atoms_.size());
    add(line, AtomKind::frame, true);
    std::uint32_t close = no_atom;
    while (next_.begin < text_.size() && close == no_atom) {
      const bool closes = peek().substr(0, 3) == mark;
      const Line inner = take();
      if (closes) close = static_cast<std::uint32_t>(atoms_.size());
      add(inner, closes ? AtomKind::frame : AtomKind::line, false);
    }
    for (std::size_t i = open; i < atoms_.size(); ++i) {
      atoms_[i].open = open;
      atoms_[i].close = close;
    }
    paragraph_start_ = true;
  }

  void cut_table(Line line) {
    const auto header = static_cast<std::uint32_t>(atoms_.size());
    add(line, AtomKind::frame, true);
    while (next_.begin < text_.size() && is_table_row(peek())) add(take(), AtomKind::row, false);
    for (std::size_t i = header; i < atoms_.size(); ++i) atoms_[i].open = header;
    paragraph_start_ = true;
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  Line next_{};
  std::uint32_t heading_ = no_atom;
  bool paragraph_start_ = true;
};

}  // namespace

void cut_markdown(std::string_view text, std::vector<Atom>& atoms) { MarkdownCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
