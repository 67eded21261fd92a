#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/selection/corpus.hpp"
#include "engine/selection/query.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

/// What a query may cost before it is answered in a part of a slice only.
struct NarrowingLimits {
  std::size_t items = 4096;            ///< A slice of at most so many is always seen whole.
  std::size_t postings = 65'536;       ///< So is one in which the query's terms occur in at most so many chunks.
  std::size_t candidates = 256;        ///< So many items of a longer slice are looked at more closely.
  std::int64_t candidate_tokens = 64;  ///< One more is looked at for each so many tokens of the budget.
  std::size_t around = 12;             ///< Each is seen with so many items before and after it.
};

/// The corpus, of long slices only what stands around the items that have the most of the query's rare terms.
///
/// Terms are taken from the rarest to the commonest as long as the limit lasts, as in a search that stops early
/// (Moffat and Zobel, 1996, "quit"): what all of them add to a query hardly depends on how long the slice is. Where even
/// the rarest term occurs too often, the newest items stand for all. A function of the slices' texts alone.
[[nodiscard]] Corpus narrow(const Corpus& corpus, const Query& query, std::int64_t budget_tokens,
                            const SelectionWeights& w, const NarrowingLimits& limits = {});

}  // namespace ctxmgr::engine
