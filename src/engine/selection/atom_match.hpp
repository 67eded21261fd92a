#pragma once
#include <string_view>
#include <vector>

#include "engine/selection/query.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

/// How much of the query each atom of an item has.
struct AtomMatch {
  std::vector<double> all;    ///< Matches in shares of the item's best.
  std::vector<double> asked;  ///< Matches with the question alone: half of it is half of the sum of its terms' values.
  std::vector<double> named;  ///< Relevance that an atom has whatever the rest of its item is about.
  std::vector<char> reports;  ///< Whether it is the first report of what went wrong.
  std::vector<char> routine;  ///< Whether it says again what went well where something failed.
};

/// Of one item by itself, for a room of so many tokens, not below 0: nothing is `named` yet.
[[nodiscard]] AtomMatch match_item(const ItemAnalysis& item, std::string_view text, const Query& query,
                                   std::int64_t room, const SelectionWeights& w);

/// The best of them; 0 where there is none.
[[nodiscard]] double best_match(const std::vector<double>& match);

/// Whether an atom has no meaning of its own; a line of a diff that names a file or a place has one.
[[nodiscard]] bool is_frame(const ItemAnalysis& item, const Atom& atom);

/// Whether each line of an item is for itself: a log or a table.
[[nodiscard]] bool is_list(const ItemAnalysis& item);

}  // namespace ctxmgr::engine
