#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/planning_gate.hpp"
#include "engine/build/layout_values.hpp"
#include "engine/planning/planner_call.hpp"

/// What a plan is made from, and what is decided.
namespace ctxmgr::engine {

/// What deciding looks at. All of it outlives the call.
struct PlanInput {
  const BuildInputs& inputs;
  const Prepared& prepared;
  const Layout& layout;
  bool refilled = true;  ///< Whether what a plan leaves free is filled afterwards.
};

/// What becomes of every item, or the call whose reply says so.
struct PlanOutcome {
  GateDecision gate{};
  std::unique_ptr<Artifact> older{};  ///< The messages before the cut, as one artifact; null where nothing is cut.
  std::vector<Item> items{};          ///< The artifacts, and last what there are excerpts of besides, if anything.

  std::int64_t needed_tokens = 0;  ///< What including everything would take.

  std::optional<PlannerCall> call{};  ///< It has to be answered first: what follows is not there before.
  std::optional<Error> error{};       ///< The planner's failure, where it failed.
  bool asked = false;                 ///< Whether there was a call.
  UsageMetadata usage{};              ///< What the planner took.

  ArtifactPlan plan{};
  std::optional<ArtifactPlan> llm_plan{};  ///< The plan as the model gave it, kept for the next build.
  PlanSource source = PlanSource::none;
  std::string reason{};
  std::vector<std::string> repairs{};
  std::vector<ArtifactDecision> decisions{};  ///< One decision for each item.
  std::vector<std::size_t> least_important_first{};
};

}  // namespace ctxmgr::engine
