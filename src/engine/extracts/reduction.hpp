#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

inline constexpr std::size_t no_unit = static_cast<std::size_t>(-1);

/// How much a unit of a structured text matters in a summary, before any score.
enum class Rank : std::uint8_t {
  always,   ///< The first error or warning of its kind.
  framing,  ///< What stands beside it, what the focus asks for, both ends, headers, declarations, odd records.
  sample,   ///< The first of its kind: a line for each template of a log, a record for each shape.
  rest,
  counted,  ///< Alike to a sample: it is counted, not shown.
};

/// A piece of a structured text that is shown or left out as a whole: a line, a row, a record.
struct Unit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_atom = 0;
  std::size_t last_atom = 0;   ///< One past.
  std::size_t open = no_unit;  ///< Unit that has to come along: header row, hunk header.
  Rank rank = Rank::rest;
  bool changed = false;    ///< Changed line of a diff.
  std::uint64_t kind = 0;  ///< Equal for lines of one template and records of one shape; 0: like no other.
  std::string note{};      ///< Ours, shown before it: statistics of the records that begin here.
};

/// A structured text cut into units, ascending, and what one of them is called.
struct Reduction {
  std::vector<Unit> units;
  std::string_view noun{};  ///< "line"
  bool tallied = false;     ///< How many there are of a kind is said behind the first one shown.
};

/// Whether a text of this format is reduced by its structure; prose is not.
[[nodiscard]] bool is_reducible(ContentFormat format);

/// Cuts an item and ranks its units by what its format says: logs by templates and errors, JSON by records, diffs by
/// changed lines, code by declarations, tables by what the focus asks for. `focus_match` is 0 to 1 for each atom. Linear.
[[nodiscard]] Reduction reduce(std::string_view text, const ItemAnalysis& item, const std::vector<double>& focus_match);

}  // namespace ctxmgr::engine
