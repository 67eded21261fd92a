#pragma once
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "core/node_pool.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Terms with how often they were added.
using TermCounts = std::unordered_map<Term, std::size_t, std::hash<Term>, std::equal_to<Term>,
                                      PoolAllocator<std::pair<const Term, std::size_t>>>;

/// A hash of the words of an atom; 0 where they are too few to repeat anything.
[[nodiscard]] Term wording_of(const ItemAnalysis& item, std::size_t atom);

/// A hash of the words of an atom without its numbers; 0 where it has none, or too few words.
[[nodiscard]] Term pattern_of(const ItemAnalysis& item, std::size_t atom);

/// The wordings of the chosen atoms, to tell which others only repeat them.
class ChosenWords {
 public:
  void add(Term wording);

  /// \pre It was added.
  void remove(Term wording);

  /// Whether the same words are chosen.
  [[nodiscard]] bool has(Term wording) const { return wordings_.count(wording) != 0; }

  /// How often they are chosen.
  [[nodiscard]] std::size_t times(Term wording) const;

 private:
  NodePool memory_;  // The words of a long text are many small nodes.
  TermCounts wordings_{&memory_};
};

}  // namespace ctxmgr::engine
