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

/// What the chosen atoms say, to tell which others only repeat it. A wording is that of the atom it is given with.
class ChosenWords {
 public:
  void add(std::size_t candidate, const ItemAnalysis& item, std::size_t atom, Term wording);

  /// \pre It was added.
  void remove(const ItemAnalysis& item, std::size_t atom, Term wording);

  /// Whether the same words are chosen.
  [[nodiscard]] bool has(Term wording) const { return wordings_.count(wording) != 0; }

  /// Whether what is chosen says the same: in the same words; or in nearly the same, most of them of one other candidate,
  /// with all names and numbers.
  [[nodiscard]] bool say(std::size_t candidate, const ItemAnalysis& item, std::size_t atom, Term wording) const;

 private:
  // Which candidate said it first, and how often it is said.
  struct Said {
    std::size_t candidate = 0;
    std::size_t times = 0;
  };

  [[nodiscard]] bool nearly_say(std::size_t candidate, const ItemAnalysis& item, std::size_t atom) const;

  NodePool memory_;  // The words of a long text are many small nodes.
  TermCounts wordings_{&memory_};
  std::unordered_map<Term, Said, std::hash<Term>, std::equal_to<Term>, PoolAllocator<std::pair<const Term, Said>>>
      shingles_{&memory_};
  TermCounts particulars_{&memory_};
};

}  // namespace ctxmgr::engine
