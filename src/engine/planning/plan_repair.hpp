#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/plan.hpp"

namespace ctxmgr::engine {

/// A view of fewer tokens says nothing: the artifact is left out, or stays as it is.
inline constexpr std::int64_t least_view_tokens = 16;

/// What repair has to know of an artifact.
struct RepairItem {
  ArtifactDecision fallback{};     ///< The deterministic decision; its `artifact_id` names the artifact.
  std::int64_t full_tokens = 0;    ///< What the whole content counts.
  std::int64_t header_tokens = 0;  ///< What the line above it counts; every view but exclude costs it.
  Trust trust = Trust::untrusted;
  double relevance = 0;
};

/// A plan that can be carried out: one decision for every artifact, in order of priority, with a target for each view,
/// which together with the headers add up to no more than the budget.
struct RepairedPlan {
  ArtifactPlan plan{};
  std::vector<std::string> changes{};  ///< What was changed, for the receipt: ids and figures, no content.
};

/// Unknown and repeated ids go, missing artifacts get their fallback, priorities become 1, 2, 3 …, empty focus
/// and query become the user's query, what is too large for its share becomes an extract, what does not fit is left
/// out. Where trusted artifacts of at least equal relevance want the room, one untrusted artifact gets at most 25 % of
/// it and all of them together at most 60 %. Pure; whatever the plan says, the result holds.
[[nodiscard]] RepairedPlan repair_plan(const ArtifactPlan& plan, const std::vector<RepairItem>& items,
                                       const std::string& query, std::int64_t budget_tokens);

}  // namespace ctxmgr::engine
