#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "engine/structure/atom.hpp"

namespace ctxmgr::engine {

/// A text cut into atoms.
struct TextStructure {
  ContentFormat format =
      ContentFormat::text;  ///< Never `automatic`; of a message, that of what stands before its calls.
  std::vector<Atom> atoms;
};

/// A stretch of a text under a line that names it: "[document memo.txt]", "[write_file src/fees.py content]".
struct TextSection {
  std::size_t begin = 0;
  std::size_t text = 0;  ///< Where the line that names it has ended.
  std::size_t end = 0;
};

/// What a text looks like: JSON where a parser takes it, or each of its lines; else what a bounded sample looks like.
[[nodiscard]] ContentFormat detect_format(std::string_view text);

/// Cuts a text into atoms by its format. Linear; any bytes will do.
[[nodiscard]] TextStructure analyze_structure(std::string_view text, ContentFormat format);

/// The same of a text with sections, ascending: each has its own format, and its name is the heading of all of it. Calls may
/// stand behind the last. The format is that of the longest stretch.
[[nodiscard]] TextStructure analyze_sections(std::string_view text, const std::vector<TextSection>& sections);

/// A text that is one atom, whatever its format; calls at its end are atoms of their own.
[[nodiscard]] TextStructure whole_turn(std::string_view text, ContentFormat format);

/// An atom is at most about this long where its format allows to cut.
inline constexpr std::size_t longest_atom_bytes = 600;

/// An object of JSON in an array is one thing up to this length, which is written over several lines as a rule.
inline constexpr std::size_t longest_record_bytes = 1200;

// The cutters behind `analyze_structure`, one for each kind of text; they append to `atoms`.
/// One paragraph; line ends inside it are blanks.
void cut_prose(std::string_view text, std::size_t base, std::vector<Atom>& atoms);
void cut_markdown(std::string_view text, std::vector<Atom>& atoms);
void cut_json(std::string_view text, std::vector<Atom>& atoms);
void cut_code(std::string_view text, std::vector<Atom>& atoms);
/// Lines of calls from `begin` on: a short one is an atom, the arguments of a long one are cut between members.
void cut_calls(std::string_view text, std::size_t begin, std::vector<Atom>& atoms);
/// A row comes with its table's header, a line of a diff with its hunk, and a hunk with its file.
void cut_lines(std::string_view text, ContentFormat format, std::vector<Atom>& atoms);

/// Where the lines of calls at the end of a message begin, "[call name(arguments)]" each; its size where there are none.
[[nodiscard]] std::size_t find_calls(std::string_view text);

/// What stands in the parentheses of such a line; no data pointer where it is none.
[[nodiscard]] std::string_view call_arguments(std::string_view line);

/// Whether a line of code, with its indent, declares something: a function, a class, a namespace.
[[nodiscard]] bool is_declaration(std::string_view line);

/// Bytes of the line number in front of a line, as `cat -n` writes it, and its tab; 0 where there is none.
[[nodiscard]] std::size_t gutter_of(std::string_view line);

/// Whether a row is the rule below the header of a Markdown table: "|---|:-:|".
[[nodiscard]] bool is_table_rule(std::string_view row);

/// Appends [begin, end) as one atom, or as several where it is too long; trims blanks at both ends.
void add_atom(std::string_view text, std::size_t base, std::size_t begin, std::size_t end, AtomKind kind,
              std::vector<Atom>& atoms);

}  // namespace ctxmgr::engine
