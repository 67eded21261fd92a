#include "engine/selection/rendering.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "engine/structure/omission.hpp"

namespace ctxmgr::engine {
namespace {

// Whether `text` begins with `word` (lower case) in any case.
bool begins_in_any_case(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == ascii::lower_case(b); });
}

// "0 errors", "no errors", "without errors".
bool denies(std::string_view before) {
  const auto blank = before.find_last_not_of(" \t");
  if (blank == std::string_view::npos || blank + 1 == before.size()) return false;
  before = before.substr(0, blank + 1);
  const auto first = before.find_last_of(" \t,;:(");
  const auto word = first == std::string_view::npos ? before : before.substr(first + 1);
  for (const std::string_view none : {"0", "no", "zero", "without"})
    if (word.size() == none.size() && begins_in_any_case(word, none)) return true;
  return false;
}

// "Error: (none)", "errors = 0".
bool is_empty_value(std::string_view after) {
  while (!after.empty() && (ascii::is_letter(after[0]) || after[0] == '"'))
    after.remove_prefix(1);  // the rest of the word
  const auto value = after.find_first_not_of(" \t");
  if (value == std::string_view::npos || (after[value] != ':' && after[value] != '=')) return false;
  after = ascii::trimmed(after.substr(value + 1));
  if (!after.empty() && (after.back() == ',' || after.back() == '.')) after.remove_suffix(1);
  for (const std::string_view none :
       {"(none)", "none", "null", "nil", "no", "n/a", "false", "0", "-", "\"\"", "''", "[]", "{}"})
    if (after.size() == none.size() && begins_in_any_case(after, none)) return true;
  return false;
}

// Whether `word` (lower case) stands at `at` in any case, and is not said to be absent.
bool reports_word(std::string_view text, std::size_t at, std::string_view word) {
  return begins_in_any_case(text.substr(at), word) && !denies(text.substr(0, at)) &&
         !is_empty_value(text.substr(at + word.size()));
}

// Copies bytes [begin, end) of the source.
void append_span(std::string_view text, std::size_t begin, std::size_t end, RenderedText& out) {
  out.text += text.substr(begin, end - begin);
  if (!out.spans.empty() && out.spans.back().offset + out.spans.back().length == begin) {
    out.spans.back().length = end - out.spans.back().offset;
  } else if (end > begin) {
    out.spans.push_back({begin, end - begin});
  }
}

// The label joins the first atom as in the source, or ends before the mark of what is left out.
void append_label(std::string_view text, const ItemAnalysis& item, bool from_start, RenderedText& out) {
  if (item.label_bytes == 0) return;
  if (from_start && !item.atoms.empty()) return append_span(text, 0, item.atoms[0].begin, out);
  std::size_t end = item.label_bytes;
  if (text[end - 1] == ' ') --end;
  append_span(text, 0, end, out);
  out.text.append(text.substr(end, item.label_bytes - end));
}

}  // namespace

std::size_t first_below(const ItemAnalysis& item, std::size_t a) {
  const std::vector<Atom>& atoms = item.atoms;
  const bool is_text = item.format == ContentFormat::text || item.format == ContentFormat::markdown;
  if (!is_text || atoms[a].kind != AtomKind::heading || atoms[a].end - atoms[a].begin > longest_shown_heading)
    return no_atom;
  std::size_t heading = a;
  std::size_t below = a + 1;
  for (; below < atoms.size() && atoms[below].heading == heading; ++below) {
    if (atoms[below].kind == AtomKind::heading)
      heading = below;
    else if (atoms[below].kind != AtomKind::frame)
      return below;
  }
  return no_atom;
}

void add_frames(const ItemAnalysis& item, std::size_t a, AtomSet& chosen) {
  for_each_frame(item, a, [&chosen](std::size_t frame) {
    if (chosen[frame] != 0) return false;
    chosen[frame] = 1;
    return true;
  });
}

void complete_frames(const ItemAnalysis& item, AtomSet& chosen) {
  for (std::size_t a = 0; a < chosen.size(); ++a)
    if (chosen[a] != 0) add_frames(item, a, chosen);
  // A brace between two lines is no longer than the mark that would stand for it.
  // And what closes a block comes after its last line, where what opens it is shown.
  for (std::size_t a = 1; a < chosen.size(); ++a) {
    if (chosen[a] != 0 || chosen[a - 1] == 0 || item.atoms[a].end - item.atoms[a].begin > 3) continue;
    const std::uint32_t opener = item.atoms[a].heading;
    const bool between = a + 1 < chosen.size() && chosen[a + 1] != 0;
    const bool closes =
        item.format == ContentFormat::code && !item.has_words(a) && opener != no_atom && chosen[opener] != 0;
    if (between || closes) chosen[a] = 1;
  }
}

RenderedText render_atoms(std::string_view text, const ItemAnalysis& item, const AtomSet& chosen) {
  RenderedText out;
  const std::vector<Atom>& atoms = item.atoms;
  if (std::count(chosen.begin(), chosen.end(), 0) == 0) {
    append_span(text, 0, text.size(), out);
    return out;
  }
  const auto first = std::find_if(chosen.begin(), chosen.end(), [](char c) { return c != 0; });
  append_label(text, item, first == chosen.begin(), out);
  std::size_t last = atoms.size();
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    if (chosen[a] == 0) continue;
    if (last == atoms.size()) {
      if (a > 0) out.text.append(omission).append(" ");
    } else if (last + 1 == a) {
      append_span(text, atoms[last].end, atoms[a].begin, out);
    } else {
      const std::string_view gap = text.substr(atoms[last].end, atoms[a].begin - atoms[last].end);
      const char blank = gap.find('\n') != std::string_view::npos ? '\n' : ' ';
      out.text.append(1, blank).append(omission).append(1, blank);
    }
    append_span(text, atoms[a].begin, atoms[a].end, out);
    last = a;
  }
  if (last + 1 < atoms.size()) out.text.append(" ").append(omission);
  return out;
}

bool reports_error(std::string_view atom) {
  static constexpr std::array<std::string_view, 16> words = {
      "error", "exception", "fatal",   "panic",     "traceback",           "failed",    "failure", "segfault",
      "abort", "denied",    "refused", "timed out", "undefined reference", "assertion", "fail:",   "not ok "};
  for (std::size_t at = 0; at < atom.size(); ++at) {
    // At the start of a word or of a camelCase part.
    const bool is_capital = atom[at] >= 'A' && atom[at] <= 'Z';
    if (at > 0 && ascii::is_letter(atom[at - 1]) && !is_capital) continue;
    const char first = ascii::lower_case(atom[at]);
    for (const std::string_view word : words)
      if (word[0] == first && reports_word(atom, at, word)) return true;
  }
  return false;
}

bool reports_json_error(std::string_view atom) {
  const std::size_t colon = atom.rfind(':');
  if (colon != std::string_view::npos) {
    const std::size_t value = atom.find_first_not_of(" \t\r\n", colon + 1);
    for (const std::string_view empty : {"null", "false", "0", "\"\"", "[]", "{}"})
      if (value == std::string_view::npos || atom.substr(value) == empty) return false;
  }
  return reports_error(atom);
}

}  // namespace ctxmgr::engine
