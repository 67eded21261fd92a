#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/text_index.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

/// What `select` chooses with.
[[nodiscard]] SelectionWeights weights_for(ContextGoal goal);

/// What is looked for in some slices, which outlive it.
struct SliceSearch {
  const std::vector<IndexSlice>* slices = nullptr;
  std::string_view query{};
  const std::vector<std::string>* hints = nullptr;  ///< Null: none.
  /// How relevant its items are beside those of other searches, which has a say in what untrusted ones may take. nullopt: as
  /// they are to its query. Where there is one, it has items only if anything speaks of the query.
  std::optional<double> relevance{};
  /// What the worth of each item's atoms is multiplied by; items count from 0 (null function: 1).
  std::function<double(std::size_t)> weight{};
};

/// The best selection over all of the searches, which share the request's room. Items of later searches count on from those of
/// the ones before. Query and hints of the request are not used.
[[nodiscard]] Selection select(const std::vector<SliceSearch>& searches, const SelectionRequest& request,
                               const TokenCounter& counter, const SelectionWeights& weights,
                               EmbeddingRun* embeddings = nullptr);

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
