#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/plan.hpp"

namespace ctxmgr::engine {

/// A view of fewer tokens says nothing: the artifact is left out, or stays as it is.
inline constexpr std::int64_t least_view_tokens = 16;

/// Whether the allocation says how much of the artifact is shown, beside what the plan has placed.
[[nodiscard]] inline bool is_left_open(const ArtifactDecision& decision) {
  return decision.strategy == ProcessingStrategy::rag_extract && decision.target_tokens <= 0;
}

/// What repair has to know of an artifact.
struct RepairItem {
  ArtifactDecision fallback{};     ///< The decision where a plan has none; its `artifact_id` names the artifact.
  std::int64_t full_tokens = 0;    ///< What the whole content counts.
  std::int64_t header_tokens = 0;  ///< What the line above it counts; every view but exclude costs it.
  Trust trust = Trust::untrusted;
  double relevance = 0;
};

/// A plan that can be carried out: one decision for every artifact, in order of priority. What it places adds up to no more
/// than the budget, headers included.
struct RepairedPlan {
  ArtifactPlan plan{};
  std::vector<std::size_t> order{};    ///< The item that each decision is on.
  std::vector<std::string> changes{};  ///< What was changed, for the receipt: ids and figures, no content.
};

/// Unknown and repeated ids go, missing artifacts get their fallback, priorities become 1, 2, 3 …, empty focus
/// and query become the user's query. What does not fit whole, or at all, is left open. Where trusted artifacts of at least
/// equal relevance want the room, a plan places at most 25 % of it with one untrusted artifact and 60 % with all of them, or
/// what their fallbacks take. Pure; whatever the plan says, the result holds.
[[nodiscard]] RepairedPlan repair_plan(const ArtifactPlan& plan, const std::vector<RepairItem>& items,
                                       const std::string& query, std::int64_t budget_tokens);

}  // namespace ctxmgr::engine
