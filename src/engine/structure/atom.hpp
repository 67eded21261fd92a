#pragma once
#include <cstdint>

namespace ctxmgr::engine {

/// What an atom is, as far as choosing goes.
enum class AtomKind : std::uint8_t {
  sentence,
  heading,
  line,    ///< A line of code, of a log or of a diff.
  row,     ///< A row of a table.
  member,  ///< A member of JSON: `"key": value`, or an element of an array.
  frame,   ///< Makes sense only around others: a fence, a table's header, a hunk header.
};

inline constexpr std::uint32_t no_atom = 0xFFFFFFFF;

/// The smallest piece of a text that may be chosen by itself: never a part of a character, of a JSON token, of a row.
/// Atoms are ascending and do not overlap; the bytes between two of them are blanks or (JSON) punctuation.
struct Atom {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  AtomKind kind = AtomKind::sentence;
  bool paragraph_start = false;  ///< A blank line, a heading, or a new record comes before it.
  bool section_start = false;    ///< A declaration that heads a block, with its comments, begins here.
  std::uint32_t open = no_atom;  ///< Frame that has to come along: opening fence, header row.
  std::uint32_t close = no_atom;
  std::uint32_t heading = no_atom;  ///< The heading that it stands under; of a heading, the one above.
};

}  // namespace ctxmgr::engine
