#include "engine/structure/text_structure.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/structure/json_syntax.hpp"

namespace ctxmgr::engine {
namespace {

// Shares of lines in a sample that look like one thing or another.
struct LineSigns {
  std::size_t lines = 0;
  std::size_t log = 0;           ///< Starts with a date, a time or a level.
  std::size_t code = 0;          ///< Ends like a statement or a block, or starts like a declaration.
  std::size_t margin = 0;        ///< Begins at the left margin;
  std::size_t margin_code = 0;   ///< and looks like code: what is explained with examples has its prose there.
  std::size_t pipes = 0;         ///< Has two or more | or tabs.
  bool begins_with_row = false;  ///< The first line has them.
  std::size_t commas = 0;        ///< Has as many commas as the first line (two or more), quoted ones left out.
  std::size_t columns = 0;       ///< Has the columns of the first line (three or more), or as many tabs.
  std::size_t markdown = 0;      ///< Heading, list item, quote, emphasis, link.
  bool diff = false;
  bool fence = false;
  bool numbered = false;  ///< Lines have their numbers in front.
  bool in_block = false;  ///< The last line at the margin ends in an opening bracket.
};

bool names_level(std::string_view line) {
  for (const std::string_view level : {"DEBUG", "INFO", "WARN", "ERROR", "FATAL", "TRACE", "CRITICAL"})
    if (line.starts_with(level)) return true;
  return false;
}

bool looks_like_log(std::string_view line) {
  if (!line.empty() && line[0] == '[') {
    line.remove_prefix(1);
    // "[main] INFO"
    const std::string_view rest = line.substr(std::min(line.find(']'), line.size()));
    if (names_level(rest.substr(std::min(rest.find_first_not_of("] "), rest.size())))) return true;
  }
  if (names_level(line)) return true;
  std::size_t digits = 0;
  std::size_t marks = 0;
  for (const char c : line.substr(0, 19)) {
    if (c >= '0' && c <= '9')
      ++digits;
    else if (c == ':' || c == '-' || c == '/' || c == '.')
      ++marks;
    else if (c != 'T' && c != ' ')
      break;
  }
  return digits >= 6 && marks >= 2;
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A name directly before an opening parenthesis; prose has that in "word(s)" only.
bool calls_something(std::string_view line) {
  for (std::size_t at = line.find('(', 1); at != std::string_view::npos; at = line.find('(', at + 1))
    if (is_word_byte(line[at - 1]) && line.substr(at, 3) != "(s)") return true;
  return false;
}

// "Type=oneshot", "PATH=/bin": a name, what is set of it, and no other of the kind, as a log has them.
bool sets_something(std::string_view line) {
  const auto end =
      std::find_if(line.begin(), line.end(), [](char c) { return !is_word_byte(c) && c != '.' && c != '-'; });
  const auto equals = static_cast<std::size_t>(end - line.begin());
  if (equals == 0 || equals >= line.size() || line[equals] != '=') return false;
  for (std::size_t at = line.find('=', equals + 1); at != std::string_view::npos; at = line.find('=', at + 1)) {
    const std::size_t blank = line.find_last_of(" \t", at);
    if (blank != std::string_view::npos && blank > equals && blank + 1 < at &&
        std::all_of(line.begin() + blank + 1, line.begin() + at, is_word_byte))
      return false;
  }
  return true;
}

bool looks_like_code(std::string_view line) {
  const char last = line.back();
  if (sets_something(line)) return true;
  if (line.starts_with("** ") || line == "**") return true;  // A comment that goes on; bold text has no blank there.
  if (last == ';' || last == '{' || last == '}' || line == ")" || line == "]" || line == "),") return true;
  for (const std::string_view start :
       {"#include", "#define",  "#if",     "#end",     "#!",     "//",        "/*",      "*/",     "import ",
        "from ",    "def ",     "class ",  "return",   "if (",   "for (",     "while (", "else:",  "elif ",
        "try:",     "except",   "finally", "raise ",   "yield ", "assert ",   "async ",  "await ", "@",
        "public ",  "private ", "static ", "struct ",  "enum ",  "const ",    "let ",    "var ",   "function ",
        "func ",    "fn ",      "pub ",    "package ", "using ", "namespace "})
    if (line.starts_with(start)) return true;
  for (const std::string_view sign : {" = ", " == ", " != ", " += ", "->", "=>", "()", " && ", " || "})
    if (line.find(sign) != std::string_view::npos) return true;
  // "tests/a.py::test_b PASSED" names a place; code with it has more than names.
  if (line.find("::") != std::string_view::npos && line.find_first_of("(;{<=,&*") != std::string_view::npos)
    return true;
  if (last == ':' &&
      (line.starts_with("if ") || line.starts_with("for ") || line.starts_with("while ") || line.starts_with("with ")))
    return true;
  return calls_something(line);
}

bool looks_like_markdown(std::string_view line) {
  return line.starts_with("# ") || line.starts_with("## ") || line.starts_with("### ") || line.starts_with("- ") ||
         line.starts_with("* ") || line.starts_with("> ") || line.starts_with("**") ||
         line.find("](") != std::string_view::npos;
}

// Commas of a row; those in quotes belong to a cell.
std::size_t count_commas(std::string_view line) {
  std::size_t commas = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++commas;
  }
  return commas;
}

bool has_blank_after_comma(std::string_view line) { return line.find(", ") != std::string_view::npos; }

// Where columns begin that are set apart by two blanks or more, but for the first.
std::vector<std::size_t> columns_of(std::string_view line) {
  std::vector<std::size_t> columns;
  for (std::size_t at = 3; at < line.size(); ++at)
    if (line[at] != ' ' && line[at - 1] == ' ' && line[at - 2] == ' ' && line.find_first_not_of(' ') < at)
      columns.push_back(at);
  return columns;
}

bool has_columns(std::string_view line, const std::vector<std::size_t>& columns) {
  return std::all_of(columns.begin(), columns.end(), [line](std::size_t at) {
    return at < line.size() ? line[at - 1] == ' ' && line[at] != ' ' : at > line.size();
  });
}

// What the first line of a text says of its table, if it is one.
struct TableHead {
  std::size_t commas = 0;
  std::size_t tabs = 0;
  std::vector<std::size_t> columns;
  bool dense = false;  ///< No blank follows a comma: rows may leave out their last cells.
};

std::size_t gutter_number(std::string_view gutter) {
  std::size_t number = 0;
  for (const char c : gutter)
    if (c >= '0' && c <= '9') number = 10 * number + static_cast<std::size_t>(c - '0');
  return number;
}

// Numbers in front of lines are a gutter where the second is one more than the first; else they are a column.
bool has_gutter(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view second = text.substr(std::min(end + 1, text.size()), 80);
  const std::size_t gutters[] = {gutter_of(text.substr(0, end)), gutter_of(second.substr(0, second.find('\n')))};
  return gutters[0] > 0 && gutters[1] > 0 &&
         gutter_number(second.substr(0, gutters[1])) == gutter_number(text.substr(0, gutters[0])) + 1;
}

// `few`: of less than three lines; nothing is a log, code or a table then.
void look_at_line(std::string_view line, bool few, TableHead& head, LineSigns& signs) {
  if (line.starts_with("diff --git ") || line.starts_with("@@ -")) signs.diff = true;
  if (signs.numbered) line.remove_prefix(gutter_of(line));
  const bool margin = !line.empty() && !ascii::is_space(line.front());
  while (!line.empty() && ascii::is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && ascii::is_space(line.back())) line.remove_suffix(1);
  if (line.empty()) return;
  ++signs.lines;
  if (looks_like_markdown(line)) ++signs.markdown;
  if (line.starts_with("```") || line.starts_with("~~~")) signs.fence = true;
  if (few) return;
  if (looks_like_log(line)) ++signs.log;
  const bool opens = std::string_view("({[").find(line.back()) != std::string_view::npos;
  const bool code = opens || (!margin && signs.in_block) || looks_like_code(line);
  if (margin) signs.in_block = opens;
  signs.code += code ? 1 : 0;
  signs.margin += margin ? 1 : 0;
  signs.margin_code += code && margin ? 1 : 0;
  const auto count = [line](char c) { return static_cast<std::size_t>(std::count(line.begin(), line.end(), c)); };
  const std::size_t tabs = count('\t');
  if (count('|') >= 2 || tabs >= 2) {
    ++signs.pipes;
    signs.begins_with_row = signs.begins_with_row || signs.lines == 1;
  }
  const std::size_t commas = count_commas(line);
  if (signs.lines == 1) head = {commas, tabs, columns_of(line), !has_blank_after_comma(line)};
  if (commas >= 2 && (commas == head.commas || (head.dense && commas < head.commas && !has_blank_after_comma(line))))
    ++signs.commas;
  const bool aligned = head.columns.size() >= 2 && has_columns(line, head.columns);
  if (aligned || (tabs > 0 && tabs == head.tabs)) ++signs.columns;
}

// At most this much of a text is looked at: its start, and as much again from its middle and its end. A long comment at
// the start of a source says nothing of what follows.
constexpr std::size_t sample_bytes = 4096;

// The lines that are whole within [begin, begin + sample_bytes).
std::string_view whole_lines(std::string_view text, std::size_t begin) {
  if (begin > 0) begin = std::min(text.find('\n', begin - 1), text.size() - 1) + 1;
  const std::string_view sample = text.substr(begin, sample_bytes);
  if (begin + sample.size() == text.size()) return sample;
  const std::size_t end = sample.rfind('\n');
  return end != std::string_view::npos && end > 0 ? sample.substr(0, end) : sample;
}

LineSigns look_at(std::string_view text) {
  std::vector<std::string_view> samples{whole_lines(text, 0)};
  if (text.size() > 3 * sample_bytes) {
    samples.push_back(whole_lines(text, text.size() / 2));
    samples.push_back(whole_lines(text, text.size() - sample_bytes));
  } else {
    samples[0] = text;
  }
  const std::string_view start = samples[0];
  const std::size_t first_end = start.find('\n');
  const bool few = first_end == std::string_view::npos || start.find('\n', first_end + 1) == std::string_view::npos;
  LineSigns signs;
  signs.numbered = has_gutter(start);
  TableHead head;
  for (std::string_view sample : samples) {
    while (!sample.empty()) {
      const std::size_t end = std::min(sample.find('\n'), sample.size());
      look_at_line(sample.substr(0, end), few, head, signs);
      sample.remove_prefix(std::min(end + 1, sample.size()));
    }
  }
  return signs;
}

// Where to cut an overlong stretch: after a blank in its last third, else before a character.
std::size_t cut_point(std::string_view text, std::size_t begin, std::size_t limit) {
  for (std::size_t at = limit; at > begin + (limit - begin) * 2 / 3; --at)
    if (ascii::is_space(text[at - 1])) return at;
  std::size_t at = utf8::floor_boundary(text, limit);
  // Not inside an escape like \\u00e4 either.
  for (std::size_t back = 1; back <= 5 && back < at - begin; ++back)
    if (text[at - back] == '\\') {
      at -= back;
      break;
    }
  return at > begin ? at : limit;
}

}  // namespace

void add_atom(std::string_view text, std::size_t base, std::size_t begin, std::size_t end, AtomKind kind,
              std::vector<Atom>& atoms) {
  while (begin < end && ascii::is_space(text[begin])) ++begin;
  while (end > begin && ascii::is_space(text[end - 1])) --end;
  while (begin < end) {
    std::size_t stop = end;
    if (kind != AtomKind::member && end - begin > longest_atom_bytes + longest_atom_bytes / 4)
      stop = cut_point(text, begin, begin + longest_atom_bytes);
    std::size_t trimmed = stop;
    while (trimmed > begin && ascii::is_space(text[trimmed - 1])) --trimmed;
    if (trimmed > begin) {
      Atom atom;
      atom.begin = static_cast<std::uint32_t>(base + begin);
      atom.end = static_cast<std::uint32_t>(base + trimmed);
      atom.kind = kind;
      atoms.push_back(atom);
    }
    begin = stop;
    while (begin < end && ascii::is_space(text[begin])) ++begin;
  }
}

std::size_t gutter_of(std::string_view line) {
  const std::size_t number = line.find_first_not_of(' ');
  if (number == std::string_view::npos) return 0;
  const std::size_t tab = line.find_first_not_of("0123456789", number);
  return tab != std::string_view::npos && tab > number && tab - number <= 7 && line[tab] == '\t' ? tab + 1 : 0;
}

bool is_table_rule(std::string_view row) {
  return row.find('-') != std::string_view::npos && row.find_first_not_of("|-:+ \t\r") == std::string_view::npos;
}

ContentFormat detect_format(std::string_view text) {
  std::size_t first = 0;
  while (first < text.size() && ascii::is_space(text[first])) ++first;
  std::size_t last = text.size();
  while (last > first && ascii::is_space(text[last - 1])) --last;
  if (first == last) return ContentFormat::text;
  const std::string_view body = text.substr(first, last - first);
  if ((body[0] == '{' || body[0] == '[') && (is_json(body) || is_json_lines(body))) return ContentFormat::json;

  const LineSigns signs = look_at(text);
  if (signs.diff) return ContentFormat::diff;
  if (signs.lines >= 3) {
    if (signs.log * 2 >= signs.lines) return ContentFormat::log;
    if ((signs.begins_with_row && signs.pipes * 10 >= signs.lines * 8) ||
        std::max(signs.commas, signs.columns) * 10 >= signs.lines * 9)
      return ContentFormat::table;
    if (!signs.fence && signs.code * 2 >= signs.lines && signs.margin_code * 2 >= signs.margin)
      return ContentFormat::code;
  }
  return signs.fence || signs.markdown * 10 >= signs.lines ? ContentFormat::markdown : ContentFormat::text;
}

TextStructure analyze_structure(std::string_view text, ContentFormat format) {
  TextStructure structure;
  const std::string_view all = text;
  if (format == ContentFormat::automatic) text = text.substr(0, find_calls(text));
  structure.format = format == ContentFormat::automatic ? detect_format(text) : format;
  switch (structure.format) {
    case ContentFormat::json: cut_json(text, structure.atoms); break;
    case ContentFormat::code: cut_code(text, structure.atoms); break;
    case ContentFormat::diff:
    case ContentFormat::log:
    case ContentFormat::table: cut_lines(text, structure.format, structure.atoms); break;
    default: cut_markdown(text, structure.atoms);
  }
  cut_calls(all, text.size(), structure.atoms);
  return structure;
}

TextStructure analyze_sections(std::string_view text, const std::vector<TextSection>& sections) {
  TextStructure all;
  std::size_t longest = 0;
  const auto add = [&](std::size_t begin, std::size_t end, std::uint32_t name) {
    auto part = analyze_structure(text.substr(begin, end - begin), ContentFormat::automatic);
    const auto base = static_cast<std::uint32_t>(begin);
    const auto before = static_cast<std::uint32_t>(all.atoms.size());
    if (end - begin > longest) all.format = part.format;
    longest = std::max(longest, end - begin);
    for (Atom atom : part.atoms) {
      atom.begin += base;
      atom.end += base;
      if (atom.open != no_atom) atom.open += before;
      if (atom.close != no_atom) atom.close += before;
      atom.heading = atom.heading == no_atom ? name : atom.heading + before;
      all.atoms.push_back(atom);
    }
  };
  add(0, sections.empty() ? text.size() : sections.front().begin, no_atom);
  for (const TextSection& section : sections) {
    const std::size_t name = all.atoms.size();
    add_atom(text, 0, section.begin, section.text, AtomKind::heading, all.atoms);
    for (std::size_t a = name; a < all.atoms.size(); ++a) all.atoms[a].paragraph_start = true;
    add(section.text, section.end, static_cast<std::uint32_t>(name));
  }
  if (!sections.empty()) cut_calls(text, std::min(sections.back().end + 1, text.size()), all.atoms);
  return all;
}

TextStructure whole_turn(std::string_view text, ContentFormat format) {
  TextStructure structure;
  const std::string_view all = text;
  if (format == ContentFormat::automatic) text = text.substr(0, find_calls(text));
  structure.format = format == ContentFormat::automatic ? detect_format(text) : format;
  const auto not_blank = [](char c) { return !ascii::is_space(c); };
  const auto begin = std::find_if(text.begin(), text.end(), not_blank) - text.begin();
  const auto end = text.rend() - std::find_if(text.rbegin(), text.rend(), not_blank);
  if (begin < end) {
    Atom atom;
    atom.begin = static_cast<std::uint32_t>(begin);
    atom.end = static_cast<std::uint32_t>(end);
    atom.paragraph_start = true;
    structure.atoms.push_back(atom);
  }
  cut_calls(all, text.size(), structure.atoms);
  return structure;
}

}  // namespace ctxmgr::engine
