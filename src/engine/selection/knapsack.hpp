#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"
#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {

/// An item that competes for room, atom by atom.
struct Candidate {
  std::size_t item = 0;  ///< Its number in the corpus.
  const ItemAnalysis* analysis = nullptr;
  std::string_view text{};
  std::string_view header{};
  double relevance = 0;
  std::vector<double> gain{};       ///< What each atom is worth.
  std::vector<double> name_gain{};  ///< What each of its identifiers is worth if nothing chosen has it; empty: nothing.
  std::size_t joins = nothing;      ///< It has no header where the candidate with this item is chosen, too.
  bool superseded = false;          ///< A later result says the same anew: its names are nothing new.

  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
};

/// What an allocation may spend, and on what besides text.
struct Room {
  std::int64_t tokens = 0;
  double untrusted_one = 1;  ///< Share of the tokens that one untrusted candidate may take while trusted ones wait.
  double untrusted_all = 1;  ///< The share that all of them may take together.
  double repeated = 1;       ///< What the gain of an atom is multiplied by once the chosen say the same.
  std::string_view separator{};
};

/// What came of a candidate.
struct Allotment {
  std::size_t candidate = 0;
  RenderedText rendered;
  ArtifactView view = ArtifactView::extract;
};

struct Allocation {
  std::vector<Allotment> chosen;       ///< What was chosen, in the order of the items.
  std::int64_t tokens = 0;             ///< What the joined text counts; at most the room.
  std::vector<std::size_t> repeats{};  ///< Candidates left out that say nothing but what is chosen says.
};

/// A multiple-choice knapsack over the views of the candidates (nothing, any set of atoms, everything written shorter),
/// solved greedily by upgrades of the most gain per token, which fill up what is left: an atom more, or the whole in its
/// dense form. The first atom of a candidate pays for its header. Dense forms are priced exactly, atoms by their item's
/// rate; the joined text is counted exactly.
[[nodiscard]] Allocation allocate(const std::vector<Candidate>& candidates, const Room& room,
                                  const TokenCounter& counter);

}  // namespace ctxmgr::engine
