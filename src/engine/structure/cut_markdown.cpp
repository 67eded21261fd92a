#include <algorithm>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

std::string_view trimmed_line(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

constexpr std::size_t longest_html_heading = 200;  // bytes, with what opens around it on its line

// Of a line with a whole heading of HTML: "<div class=\"card\"><h2>Rooms</h2>".
std::size_t html_heading_level(std::string_view line) {
  if (line.size() > longest_html_heading || line.front() != '<') return 0;
  const std::size_t at = line.find("<h");
  if (at == std::string_view::npos || at + 3 >= line.size()) return 0;
  const char level = line[at + 2];
  const bool opens = level >= '1' && level <= '6' && (line[at + 3] == '>' || line[at + 3] == ' ');
  return opens && line.find("</h", at) != std::string_view::npos ? static_cast<std::size_t>(level - '0') : 0;
}

// Level of a heading, 0 where a line, without blanks at its ends, is none.
std::size_t heading_level(std::string_view line) {
  if (line.empty()) return 0;
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level == 0 ? html_heading_level(line) : level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

bool is_fence(std::string_view line) { return line.substr(0, 3) == "```" || line.substr(0, 3) == "~~~"; }

bool is_table_row(std::string_view line) { return line.size() >= 3 && line.front() == '|' && line.back() == '|'; }

bool first_cell_is_empty(std::string_view row) { return row.find_first_not_of(" \t", 1) == row.find('|', 1); }

bool is_list_item(std::string_view line) {
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits == std::string_view::npos || digits > 3) return false;
  const std::string_view mark = line.substr(digits, 2);
  if (line.starts_with("\u2022 ")) return true;
  return digits == 0 ? mark == "- " || mark == "* " || mark == "+ " : mark == ". " || mark == ") ";
}

// "4.2" of "4.2 Fees" and of "4.2. Fees"; empty where a line has no such number.
std::string_view clause_number(std::string_view line) {
  std::size_t end = std::min(line.find_first_not_of("0123456789."), line.size());
  if (end == 0 || end == line.size() || line[end] != ' ' || line[0] == '.') return {};
  while (line[end - 1] == '.') --end;
  return line.substr(0, end);
}

// Whether a line begins with the mark that the one before it began with: "(1, 'Oslo')," and "(2, 'Lyon'),", "<td>" and "<td>".
// Prose that is wrapped does not.
bool begins_alike(std::string_view line, std::string_view next) {
  return line.front() == next.front() && (next.front() == '(' || next.front() == '<' || next.front() == '[');
}

// "run: make": a member of a record rather than what goes on from the line above.
bool begins_with_key(std::string_view line) {
  const std::size_t end = line.find_first_of(" \t:=");
  return end != std::string_view::npos && line[end] != ' ' && line[end] != '\t';
}

// Columns on a screen, about: CJK characters take two.
std::size_t columns(std::string_view line) {
  std::size_t count = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    count += (byte & 0xC0U) == 0x80 ? 0 : byte >= 0xE3 ? 2 : 1;
  }
  return count;
}

// Where the text of a list item begins, from the start of its line; 0 where it is none.
std::size_t text_column(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view body = line.substr(indent);
  if (!is_list_item(body)) return 0;
  const std::size_t text = std::min(body.find_first_not_of(' ', body.find(' ')), body.size());
  return columns(line.substr(0, indent + text));
}

// The line below a heading that is written over two lines.
bool is_underline(std::string_view line) {
  return line.size() >= 3 && (line[0] == '=' || line[0] == '-') && line.find_first_not_of(line[0]) == line.npos;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Heading {
  std::size_t level = 0;
  std::uint32_t atom = no_atom;
};

// Lines of hard-wrapped prose: nobody wraps narrower or wider.
constexpr std::size_t narrowest_wrap = 40;
constexpr std::size_t widest_wrap = 120;
constexpr std::size_t ragged_margin = 12;
constexpr std::size_t code_indent = 4;
constexpr std::size_t most_header_rows = 5;

// A line above deeper ones is their heading: of an entry in a changelog, an option in a manual, a key in a configuration.
constexpr std::size_t longest_outline_heading = 100;  // bytes
constexpr std::size_t deepest_outline = 8;
constexpr std::size_t outline_level = 7;       // below all headings with a mark
constexpr std::size_t clause_title_level = 4;  // "4. Fees" above "4.1 …"

// Walks over the lines of a text and hands each structure to its cutter.
class MarkdownCutter {
 public:
  MarkdownCutter(std::string_view text, std::vector<Atom>& atoms) : text_(text), atoms_(atoms) {}

  void run() {
    while (next_.begin < text_.size()) {
      const TextRange line = take();
      const std::string_view body = trimmed_line(text_.substr(line.begin, line.end - line.begin));
      if (body.empty()) {
        paragraph_start_ = true;
        continue;
      }
      leave_outline(indent_of(text_.substr(line.begin, line.end - line.begin)));
      if (is_fence(body)) {
        cut_fence(line, body.substr(0, 3));
      } else if (const std::size_t level = heading_level(body); level > 0) {
        cut_heading(line, level);
      } else if (is_table_row(body)) {
        cut_table(line);
      } else {
        cut_paragraph(line);
      }
    }
  }

 private:
  TextRange take() {
    const std::size_t begin = next_.begin;
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    next_.begin = std::min(end + 1, text_.size());
    return {begin, end};
  }

  [[nodiscard]] std::string_view peek() const {
    const std::size_t end = std::min(text_.find('\n', next_.begin), text_.size());
    return trimmed_line(text_.substr(next_.begin, end - next_.begin));
  }

  void finish(std::size_t first) {
    for (std::size_t i = first; i < atoms_.size(); ++i) {
      atoms_[i].heading = headings_.empty() ? no_atom : headings_.back().atom;
      atoms_[i].paragraph_start = paragraph_start_;
      paragraph_start_ = false;
    }
  }

  void add(TextRange line, AtomKind kind, bool paragraph_start) {
    const std::size_t first = atoms_.size();
    paragraph_start_ = paragraph_start_ || paragraph_start;
    add_atom(text_, 0, line.begin, line.end, kind, atoms_);
    finish(first);
  }

  [[nodiscard]] std::string_view line_at(std::size_t begin) const {
    return text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  }

  // Whether a line is prose that may go on from the line before it.
  static bool may_continue(std::string_view line) {
    const std::string_view body = trimmed_line(line);
    return !body.empty() && !is_fence(body) && heading_level(body) == 0 && !is_table_row(body) && !is_list_item(body);
  }

  // Finds the width to which the paragraph that goes on with `line` is wrapped; 0 where it is not.
  void measure_paragraph(TextRange line) {
    wrap_ = columns(text_.substr(line.begin, line.end - line.begin));
    second_widest_ = 0;
    measured_ = line.end + 1;
    while (measured_ < text_.size() && wrap_ <= widest_wrap) {
      const std::string_view next = line_at(measured_);
      if (!may_continue(next)) break;
      const std::size_t width = columns(next);
      second_widest_ = std::max(second_widest_, std::min(wrap_, width));
      wrap_ = std::max(wrap_, width);
      measured_ += next.size() + 1;
    }
    if (wrap_ < narrowest_wrap || wrap_ > widest_wrap) wrap_ = 0;
  }

  // Whether a line ends where it does because the first word of the next would not have fitted. The widest line proves
  // nothing by itself: either another is as wide, or the next line begins in the middle of a sentence.
  [[nodiscard]] bool is_wrapped(std::string_view line, std::string_view next) const {
    const std::string_view body = trimmed_line(next);
    const std::size_t word = std::min(body.find(' '), body.size());
    if (begins_alike(trimmed_line(line), body)) return false;
    const bool begins_sentence = (body[0] >= 'A' && body[0] <= 'Z') || (body[0] >= '0' && body[0] <= '9');
    return columns(line) + 1 + columns(body.substr(0, word)) > wrap_ &&
           indent_of(next) < indent_of(line) + code_indent &&
           (!begins_sentence || second_widest_ + ragged_margin >= wrap_);
  }

  // What is not deeper than a line stands no longer above the next ones.
  void leave_outline(std::size_t indent) {
    while (!headings_.empty() && headings_.back().level >= outline_level + indent) headings_.pop_back();
  }

  // Whether deeper lines follow that do not just go on.
  [[nodiscard]] bool heads_deeper_lines(TextRange line) const {
    const std::string_view whole = text_.substr(line.begin, line.end - line.begin);
    const std::string_view body = trimmed_line(whole);
    if (body.size() > longest_outline_heading || is_list_item(body)) return false;
    if (std::string_view(".!?,;").find(body.back()) != std::string_view::npos) return false;
    if (headings_.size() >= deepest_outline || next_.begin >= text_.size()) return false;
    if (wrap_ > 0 && may_continue(line_at(next_.begin)) && is_wrapped(whole, line_at(next_.begin))) return false;
    std::size_t at = next_.begin;
    while (at < text_.size() && trimmed_line(line_at(at)).empty()) at += line_at(at).size() + 1;
    return at < text_.size() && indent_of(line_at(at)) > indent_of(whole);
  }

  // Level of a clause's title, which stands above the clauses that are numbered under it; 0 where a line is none.
  [[nodiscard]] std::size_t clause_level(std::string_view title) const {
    const std::string_view number = clause_number(title);
    if (number.empty() || title.size() > longest_outline_heading) return 0;
    if (std::string_view(".!?,;:").find(title.back()) != std::string_view::npos) return 0;
    std::size_t at = next_.begin;
    while (at < text_.size() && trimmed_line(line_at(at)).empty()) at += line_at(at).size() + 1;
    const std::string_view below = at < text_.size() ? clause_number(trimmed_line(line_at(at))) : std::string_view();
    if (below.size() <= number.size() + 1 || below.substr(0, number.size()) != number || below[number.size()] != '.')
      return 0;
    const auto dots = static_cast<std::size_t>(std::count(number.begin(), number.end(), '.'));
    return std::min(clause_title_level + dots, outline_level - 1);
  }

  // A sentence goes on over the ends of wrapped lines.
  void cut_paragraph(TextRange line) {
    if (next_.begin < text_.size() && is_underline(peek())) {
      const std::size_t level = peek()[0] == '=' ? 1 : 2;
      return cut_heading({line.begin, take().end}, level);
    }
    if (const auto level = clause_level(trimmed_line(text_.substr(line.begin, line.end - line.begin))); level > 0)
      return cut_heading(line, level);
    if (line.begin >= measured_) measure_paragraph(line);
    if (heads_deeper_lines(line))
      return cut_heading(line, outline_level + indent_of(text_.substr(line.begin, line.end - line.begin)));
    const std::size_t column = text_column(text_.substr(line.begin, line.end - line.begin));
    for (TextRange last = line; next_.begin < text_.size();) {
      const std::string_view next = line_at(next_.begin);
      if (!may_continue(next)) break;
      const bool hangs =
          column > 0 && columns(next.substr(0, indent_of(next))) == column && !begins_with_key(trimmed_line(next));
      const bool wrapped = wrap_ > 0 && is_wrapped(text_.substr(last.begin, last.end - last.begin), next);
      if (!hangs && !wrapped) break;
      last = take();
      line.end = last.end;
    }
    const std::size_t first = atoms_.size();
    cut_prose(text_.substr(line.begin, line.end - line.begin), line.begin, atoms_);
    finish(first);
  }

  void cut_heading(TextRange line, std::size_t level) {
    while (!headings_.empty() && headings_.back().level >= level) headings_.pop_back();
    add(line, AtomKind::heading, true);
    headings_.push_back({level, static_cast<std::uint32_t>(atoms_.size() - 1)});
    paragraph_start_ = true;
  }

  void cut_fence(TextRange line, std::string_view mark) {
    const auto open = static_cast<std::uint32_t>(atoms_.size());
    add(line, AtomKind::frame, true);
    std::uint32_t close = no_atom;
    while (next_.begin < text_.size() && close == no_atom) {
      const bool closes = peek().substr(0, 3) == mark;
      const TextRange inner = take();
      if (closes) close = static_cast<std::uint32_t>(atoms_.size());
      add(inner, closes ? AtomKind::frame : AtomKind::line, false);
    }
    for (std::size_t i = open; i < atoms_.size(); ++i) {
      atoms_[i].open = open;
      atoms_[i].close = close;
    }
    paragraph_start_ = true;
  }

  // The header is the first row, the rule below it, and what names columns further: rows whose first cell is empty.
  void cut_table(TextRange line) {
    auto header = static_cast<std::uint32_t>(atoms_.size());
    const std::size_t begin = atoms_.size();
    const std::uint32_t caption = caption_above();
    add(line, AtomKind::frame, true);
    atoms_[header].open = header;
    bool in_header = true;
    for (std::size_t rows = 1; next_.begin < text_.size() && is_table_row(peek()); ++rows) {
      const std::string_view row = peek();
      in_header =
          in_header && rows < most_header_rows && (is_table_rule(row) || (rows > 1 && first_cell_is_empty(row)));
      const std::size_t first = atoms_.size();
      add(take(), in_header ? AtomKind::frame : AtomKind::row, false);
      for (std::size_t i = first; i < atoms_.size(); ++i) atoms_[i].open = header;
      if (in_header && first < atoms_.size()) header = static_cast<std::uint32_t>(first);
    }
    put_under(caption, begin);
    paragraph_start_ = true;
  }

  // The short line above a table, which says which one it is.
  [[nodiscard]] std::uint32_t caption_above() const {
    if (atoms_.empty()) return no_atom;
    const Atom& above = atoms_.back();
    const bool is_short = above.kind == AtomKind::sentence && above.end - above.begin <= longest_outline_heading;
    if (!is_short || std::string_view(".!?,;").find(text_[above.end - 1]) != std::string_view::npos) return no_atom;
    if (above.begin > 0 && text_[above.begin - 1] != '\n') return no_atom;
    return static_cast<std::uint32_t>(atoms_.size() - 1);
  }

  void put_under(std::uint32_t caption, std::size_t begin) {
    for (std::size_t a = begin; a < atoms_.size() && caption != no_atom; ++a) atoms_[a].heading = caption;
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  TextRange next_{};
  std::vector<Heading> headings_;  ///< Above the next line, the outermost first.
  bool paragraph_start_ = true;
  std::size_t wrap_ = 0;  ///< Width of the paragraph that ends before `measured_`; 0: not wrapped.
  std::size_t second_widest_ = 0;
  std::size_t measured_ = 0;
};

}  // namespace

void cut_markdown(std::string_view text, std::vector<Atom>& atoms) { MarkdownCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
