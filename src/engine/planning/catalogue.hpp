#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "ctxmgr/engine/summary_cache.hpp"

namespace ctxmgr::engine {

/// What a planner is told of one artifact.
struct CatalogueEntry {
  const Artifact* artifact = nullptr;
  std::int64_t tokens = 0;
  double relevance = 0;                 ///< The deterministic score, 0 to 1.
  std::vector<std::string> passages{};  ///< The best for the query.
  std::vector<std::string> focuses{};   ///< The focuses of summaries that are cached.
  bool historical = false;
  ProcessingStrategy strategy = ProcessingStrategy::exclude;  ///< What becomes of it where the plan does not say.
  std::int64_t strategy_tokens = 0;                           ///< What it counts then.
};

/// Passages that a planner sees of an artifact.
inline constexpr std::size_t passages_shown = 2;

/// Fills entries in from what the retriever says of each of them, and drops all but the `most` most relevant, in order
/// of relevance. A passage is shown once, at the most relevant that has it. Only what stays is looked up in the cache.
[[nodiscard]] std::vector<CatalogueEntry> make_catalogue(std::vector<CatalogueEntry> entries,
                                                         const std::vector<RankedArtifact>& ranked, std::size_t most,
                                                         const SummaryCache& cache, const std::string& scope,
                                                         const CallOptions& call);

}  // namespace ctxmgr::engine
