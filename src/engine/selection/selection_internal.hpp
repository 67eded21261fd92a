#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/text_index.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

/// What `select` chooses with.
[[nodiscard]] SelectionWeights weights_for(ContextGoal goal);

/// `select` with other constants.
[[nodiscard]] Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request,
                               const TokenCounter& counter, const SelectionWeights& weights,
                               EmbeddingRun* embeddings = nullptr);

/// An index of these artifacts, whole, with the request's headers, before and after the question; all three outlive it.
[[nodiscard]] std::vector<IndexSlice> slices_of(const TextIndex& index, const std::vector<Artifact>& artifacts,
                                                const SelectionRequest& request);

/// Relevance and best atoms of every item.
[[nodiscard]] std::vector<RankedArtifact> rank(const std::vector<IndexSlice>& slices, std::string_view query,
                                               const std::vector<std::string>& hints, std::size_t max_hits);

}  // namespace ctxmgr::engine
