#pragma once
#include <vector>

#include "engine/build/fill.hpp"

namespace ctxmgr::engine {

/// Still stage 5. What a model's plan leaves free of the room goes to what the layout would have sent: first to items of
/// which the plan shows less, the most relevant first, beside their summaries; then to excerpts of earlier turns, and last
/// to what the plan leaves out. So a plan never shows less than no plan. A plan that was given is meant: passages
/// join its summaries, and that is all. Returns the decisions that say what was done, so that the plan gives the same bytes
/// when it is given back. Pure.
[[nodiscard]] std::vector<ArtifactDecision> refill(const FillInput& input, Filled& filled);

/// The plan with these decisions in place of its own on the same artifacts.
void replace_decisions(const std::vector<ArtifactDecision>& decisions, ArtifactPlan& plan);

}  // namespace ctxmgr::engine
