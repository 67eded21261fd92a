#pragma once
#include <cstddef>
#include <vector>

#include "engine/build/plan_values.hpp"
#include "engine/planning/execution.hpp"

namespace ctxmgr::engine {

/// Stage 3. Asks the gate, and decides: by the plan that was given, the one of the build before, or the layout's choice.
/// Where a model is to plan, its call is in the outcome instead. Reads the summary store where a model may plan.
[[nodiscard]] PlanOutcome decide(const PlanInput& input);

/// The same once the model has replied: its plan, repaired, or the layout's choice where it has none. Pure.
[[nodiscard]] PlanOutcome decide(const PlanInput& input, PlanOutcome waiting, Result<LlmResponse> reply);

/// Puts the messages before the cut, as a text, into `outcome.older` where there is one without.
void put_older_text(const PlanInput& input, PlanOutcome& outcome);

/// The items whose texts have to be made. Excerpts of messages have been chosen already, unless a summary of them is wanted
/// that takes at most `calls` calls: their text is put into `outcome.older` then.
[[nodiscard]] std::vector<ExecutionItem> items_to_execute(const PlanInput& input, PlanOutcome& outcome,
                                                          std::size_t calls);

}  // namespace ctxmgr::engine
