#include "engine/structure/stanzas.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_key = 40;    // bytes
constexpr std::size_t longest_line = 300;  // longer ones are lists, which say less than the line above them

// "Package" of "Package: libc6"; empty where a line has no such key.
std::string_view key_of_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > longest_key) return {};
  if (colon + 1 < line.size() && line[colon + 1] != ' ') return {};
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!is_letter(line[0])) return {};
  const bool name = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                                [&](char c) { return is_letter(c) || c == '-' || c == '_' || (c >= '0' && c <= '9'); });
  return name ? line.substr(0, colon) : std::string_view();
}

// Atoms [first, last) between two blank lines.
struct Paragraph {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string_view key;  ///< Of its first line, if it has a key in each line, no two the same.
};

bool begins_line(std::string_view text, const Atom& atom) { return atom.begin == 0 || text[atom.begin - 1] == '\n'; }

std::string_view key_of_line(std::string_view text, const Paragraph& paragraph, const std::vector<Atom>& atoms) {
  const std::string_view first = key_of_line(text.substr(atoms[paragraph.first].begin, longest_key + 2));
  if (first.empty() || paragraph.last - paragraph.first < 2) return {};
  std::unordered_set<std::string_view> keys;
  for (std::size_t a = paragraph.first; a < paragraph.last; ++a) {
    if (!begins_line(text, atoms[a])) continue;
    const std::string_view key = key_of_line(text.substr(atoms[a].begin, atoms[a].end - atoms[a].begin));
    if (key.empty() || !keys.insert(key).second) return {};
  }
  return keys.size() < 2 ? std::string_view() : first;
}

std::vector<Paragraph> paragraphs_of(std::string_view text, const std::vector<Atom>& atoms) {
  std::vector<Paragraph> paragraphs;
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    if (a == 0 || atoms[a].paragraph_start) paragraphs.push_back({a, a, {}});
    paragraphs.back().last = a + 1;
  }
  for (Paragraph& paragraph : paragraphs) paragraph.key = key_of_line(text, paragraph, atoms);
  return paragraphs;
}

void head(const Paragraph& stanza, std::vector<Atom>& atoms) {
  const std::uint32_t above = atoms[stanza.first].heading;
  auto before = static_cast<std::uint32_t>(stanza.first);
  for (std::size_t a = stanza.first + 1; a < stanza.last; ++a) {
    if (atoms[a].heading != above) return;
    const bool is_long = atoms[a].end - atoms[a].begin > longest_line;
    atoms[a].heading = is_long ? before : static_cast<std::uint32_t>(stanza.first);
    if (!is_long) before = static_cast<std::uint32_t>(a);
  }
}

}  // namespace

void head_stanzas(std::string_view text, std::vector<Atom>& atoms) {
  const std::vector<Paragraph> paragraphs = paragraphs_of(text, atoms);
  for (std::size_t p = 0; p < paragraphs.size(); ++p) {
    const std::string_view key = paragraphs[p].key;
    const bool repeats =
        (p > 0 && paragraphs[p - 1].key == key) || (p + 1 < paragraphs.size() && paragraphs[p + 1].key == key);
    if (!key.empty() && repeats) head(paragraphs[p], atoms);
  }
}

}  // namespace ctxmgr::engine
