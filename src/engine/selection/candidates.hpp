#pragma once
#include <cstdint>
#include <vector>

#include "engine/selection/knapsack.hpp"
#include "engine/selection/query.hpp"
#include "engine/selection/relevance.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

/// The items that compete for room, the most relevant first, with what each of their atoms is worth.
[[nodiscard]] std::vector<Candidate> candidates_of(const Corpus& corpus, const Query& query, const Relevance& relevance,
                                                   std::int64_t budget_tokens, const SelectionWeights& w);

}  // namespace ctxmgr::engine
