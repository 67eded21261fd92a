#pragma once
#include <vector>

#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Whether an atom says what it says without those around it: a line of a log, a row of a table.
[[nodiscard]] bool stands_alone(const ItemAnalysis& item, const Atom& atom);

/// An item and how much of the question each of its atoms has.
struct AskedItem {
  const ItemAnalysis* item = nullptr;
  const std::vector<double>* asked = nullptr;
};

/// An atom of an item, both by their positions.
struct LinePlace {
  std::size_t item = 0;
  std::size_t atom = 0;
};

/// Lines of logs and rows of tables that share a rare word with the one that the question is about: the code that a
/// second table explains, the request whose other lines say more. Nothing where that line is not clear: where it has
/// less than half of what is asked for (`all_asked`), or where more than a few are as good. Ascending, without that line.
[[nodiscard]] std::vector<LinePlace> joined_lines(const std::vector<AskedItem>& items, double all_asked);

}  // namespace ctxmgr::engine
