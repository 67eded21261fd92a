#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/planning_gate.hpp"
#include "engine/build/layout.hpp"
#include "engine/planning/execution.hpp"
#include "engine/planning/planner_call.hpp"

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

  std::int64_t needed_tokens = 0;  ///< Had everything been included.

  std::optional<PlannerCall> call{};  ///< To be answered first; what follows is not there before.
  std::optional<Error> error{};       ///< The planner's.
  bool asked = false;                 ///< Whether there was a call.
  UsageMetadata usage{};              ///< Of the planner.

  ArtifactPlan plan{};
  std::optional<ArtifactPlan> llm_plan{};  ///< As the model gave it, to be kept for the next build.
  PlanSource source = PlanSource::none;
  std::string reason{};
  std::vector<std::string> repairs{};
  std::vector<ArtifactDecision> decisions{};  ///< By item.
  std::vector<std::size_t> least_important_first{};
};

/// Stage 3. Asks the gate, and decides: by the plan that was given, the one of the build before, or the layout's choice.
/// Where a model is to plan, its call is in the outcome instead. Pure.
[[nodiscard]] PlanOutcome decide(const PlanInput& input);

/// The same once the model has replied: its plan, repaired, or the layout's choice where it has none. Pure.
[[nodiscard]] PlanOutcome decide(const PlanInput& input, PlanOutcome waiting, Result<LlmResponse> reply);

/// Puts the messages before the cut, as a text, into `outcome.older` where there is one without.
void put_older_text(const PlanInput& input, PlanOutcome& outcome);

/// The items whose texts have to be made. Excerpts of messages have been chosen already, unless a summary of them is wanted
/// that takes at most `calls` calls: their text is put into `outcome.older` then.
[[nodiscard]] std::vector<ExecutionItem> items_to_execute(const PlanInput& input, PlanOutcome& outcome,
                                                          std::size_t calls);

/// What the excerpts that the layout chose take, a line end each.
[[nodiscard]] std::int64_t tokens_of_excerpts(const Layout& layout);

/// The messages before a cut, of which there is one at least, as one artifact without content, so that a plan can speak
/// of what does not fit of the history.
[[nodiscard]] Artifact older_messages(const std::vector<ConversationMessage>& history, std::size_t cut);

}  // namespace ctxmgr::engine
