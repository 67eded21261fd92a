#include <algorithm>
#include <utility>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

struct Line {
  std::size_t begin = 0;  ///< Of what is not blank,
  std::size_t body = 0;   ///< and of that without its number.
  std::size_t end = 0;
  std::size_t indent = 0;  ///< Bytes before the body.
  std::size_t next = 0;    ///< Where the next line begins.

  [[nodiscard]] bool empty() const { return body == end; }
};

Line line_at(std::string_view text, std::size_t at) {
  Line line;
  line.end = std::min(text.find('\n', at), text.size());
  line.next = std::min(line.end + 1, text.size());
  line.begin = at;
  const std::size_t margin = at + gutter_of(text.substr(at, line.end - at));
  std::size_t body = margin;
  while (body < line.end && is_blank(text[body])) ++body;
  while (line.begin < line.end && is_blank(text[line.begin])) ++line.begin;
  while (line.end > line.begin && is_blank(text[line.end - 1])) --line.end;
  line.body = std::min(body, line.end);
  line.indent = body - margin;
  return line;
}

constexpr std::size_t deepest_declaration = 8;

struct Declaration {
  std::size_t indent = 0;
  std::uint32_t atom = no_atom;
};

// What stands above a declaration and belongs to it: comments, decorators, attributes.
bool is_preface(std::string_view line) {
  for (const std::string_view start : {"//", "/*", "*", "#", "--", "@", "[["})
    if (line.starts_with(start)) return true;
  return false;
}

// The mark of a comment at the start of a line; empty where it is none.
std::string_view comment_mark(std::string_view line) {
  for (const std::string_view mark : {"///", "//!", "//", "/**", "/*", "**", "* ", "# ", "-- "})
    if (line.starts_with(mark)) return mark;
  return {};
}

// Whether a line of a comment says something that may go on from the line before: no tag begins in it.
bool continues_comment(std::string_view line) {
  const std::string_view mark = comment_mark(line);
  if (mark.empty() || mark.substr(0, 2) == "/*") return false;
  const std::size_t begin = line.find_first_not_of(" \t", mark.size());
  return begin != std::string_view::npos && line[begin] != '@' && line[begin] != '\\' &&
         line.find_first_not_of("*/-=#~ ", begin) != std::string_view::npos;
}

// What opens a comment or a text over several lines at the start of a line; empty where nothing does.
std::string_view block_mark(std::string_view line) {
  for (const std::string_view mark : {"/*", "\"\"\"", "'''"})
    if (line.starts_with(mark)) return mark;
  return {};
}

// Whether a line within a comment says something that may go on from the line before.
bool is_text(std::string_view line) {
  const char first = line.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '(' || first == '"' ||
         first == '\'' || static_cast<unsigned char>(first) >= 0x80;
}

bool is_brackets(std::string_view line) { return line.find_first_not_of("{}[]();,") == std::string_view::npos; }

// Whether what follows stands in brackets: "CREATE TABLE fees (", "listen: {", "if (late) {".
bool opens_bracket(std::string_view line) {
  return !is_brackets(line) && std::string_view("({[").find(line.back()) != std::string_view::npos;
}

// The name of a section in a configuration: "[server]", "[[rules]]"; an element of an array has quotes, commas or blanks.
bool is_section(std::string_view line) {
  return line.size() > 2 && line.front() == '[' && line.back() == ']' &&
         line.find_first_of(" \t,'\"()=") == std::string_view::npos;
}

class CodeCutter {
 public:
  CodeCutter(std::string_view text, std::vector<Atom>& atoms) : text_(text), atoms_(atoms) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) {
      const Line line = line_at(text_, at);
      at = line.next;
      if (!line.empty()) {
        take(line);
        continue;
      }
      if (line.begin < line.end) add_atom(text_, 0, line.begin, line.end, AtomKind::line, atoms_);  // Its number.
      paragraph_start_ = true;
    }
  }

 private:
  void take(const Line& line) {
    const std::string_view body = text_.substr(line.body, line.end - line.body);
    const bool in_block = is_in_block(body);
    const bool goes_on = in_block || continues_comment(body);
    const bool even = std::exchange(indent_before_, line.indent) == line.indent || !in_block;
    if (goes_on && even && in_comment_ && !paragraph_start_ && line.end - atoms_.back().begin <= longest_atom_bytes) {
      atoms_.back().end = static_cast<std::uint32_t>(line.end);
      return;
    }
    in_comment_ = goes_on;
    const std::size_t first = atoms_.size();
    add_atom(text_, 0, line.begin, line.end, AtomKind::line, atoms_);
    set_heading(line, body, first);
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

  // Whether a line says something between "/*" and "*/", or between the quotes of a text over several lines.
  bool is_in_block(std::string_view body) {
    const bool inside = !block_end_.empty();
    const std::string_view opens = inside ? std::string_view() : block_mark(body);
    if (!inside && opens.empty()) return false;
    const std::string_view end = inside ? block_end_ : opens == "/*" ? std::string_view("*/") : opens;
    block_end_ = body.find(end, opens.size()) == body.npos ? end : std::string_view();
    return inside && !body.starts_with(end) && is_text(body);
  }

  // A line stands under the declaration whose block it is in, and that under the one around it.
  void set_heading(const Line& line, std::string_view body, std::size_t first) {
    while (!is_brackets(body) && !declarations_.empty() && declarations_.back().indent >= line.indent)
      declarations_.pop_back();
    if (is_section(body) && heads_settings(line) && atoms_.size() == first + 1) {
      section_ = static_cast<std::uint32_t>(first);
      declarations_.clear();
      atoms_[first].kind = AtomKind::heading;
      return;
    }
    for (std::size_t a = first; a < atoms_.size(); ++a)
      atoms_[a].heading = declarations_.empty() ? section_ : declarations_.back().atom;
    const std::string_view indented = text_.substr(line.body - line.indent, line.indent + body.size());
    const bool opens = atoms_.size() == first + 1 && declarations_.size() < deepest_declaration;
    if (!opens || !(is_declaration(indented) || opens_bracket(body)) || !heads_block(line)) return;
    atoms_[first].kind = AtomKind::heading;
    declarations_.push_back({line.indent, static_cast<std::uint32_t>(first)});
  }

  // Whether deeper lines follow. What follows one line is what follows the brackets and blank lines after it, too: nothing
  // is looked at twice.
  [[nodiscard]] bool heads_block(const Line& line) {
    if (following_.next <= line.next) {
      following_ = line;
      do {
        following_ = line_at(text_, following_.next);
      } while (following_.next < text_.size() &&
               (following_.empty() || is_brackets(text_.substr(following_.body, following_.end - following_.body))));
    }
    return !following_.empty() && following_.indent > line.indent;
  }

  // Whether `key = value` follows: an attribute stands above a declaration.
  [[nodiscard]] bool heads_settings(const Line& line) const {
    const Line next = line_at(text_, line.next);
    const std::string_view body = text_.substr(next.body, next.end - next.body);
    return body.find('=') != std::string_view::npos && body.back() != ';' && body.back() != '{';
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  bool paragraph_start_ = true;
  std::string_view block_end_{};     ///< What ends the comment or text over several lines that the last line is in.
  std::size_t indent_before_ = 0;    ///< Of the last line.
  bool in_comment_ = false;          ///< The last line says something in a comment.
  bool prefaced_ = false;            ///< Nothing but comments has come since the paragraph began.
  std::size_t paragraph_ = 0;        ///< Its first atom.
  std::uint32_t section_ = no_atom;  ///< Of a configuration, the last one's name.
  std::vector<Declaration> declarations_;  ///< Around the next line, the outermost first.
  Line following_{};                       ///< The next line that says something, once it was looked for.
};

}  // namespace

bool is_declaration(std::string_view line) {
  const bool margin = line.find_first_not_of(" \t") == 0;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  for (const std::string_view word :
       {"def ",     "async def ", "class ",   "struct ",    "enum ",     "interface ", "trait ",
        "impl ",    "fn ",        "pub ",     "func ",      "function ", "export ",    "namespace ",
        "template", "public ",    "private ", "protected ", "static ",   "type "})
    if (line.starts_with(word)) return true;
  for (const std::string_view word :
       {"if", "for", "while", "switch", "else", "catch", "return", "do ", "try", "}", "case"})
    if (line.starts_with(word)) return false;
  const bool block = !line.empty() && (line.back() == '{' || (margin && line.back() == ')'));
  return block && line.find('(') != std::string_view::npos;
}

void cut_code(std::string_view text, std::vector<Atom>& atoms) { CodeCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
