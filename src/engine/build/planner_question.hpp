#pragma once
#include <cstdint>
#include <string>

#include "ctxmgr/engine/planning_gate.hpp"
#include "engine/build/plan_values.hpp"
#include "engine/planning/planner_call.hpp"
#include "engine/planning/planning_cap.hpp"

namespace ctxmgr::engine {

/// What a summary is about and an extract is to answer where a plan does not say: the question, with what it refers to where
/// it says little itself.
[[nodiscard]] std::string plan_query(const PlanInput& input);

/// What a plan may spend on texts and their headers.
[[nodiscard]] std::int64_t block_room(const PlanInput& input);

/// What the gate looks at, without what a plan is expected to take.
[[nodiscard]] PlanningSituation situation_of(const PlanInput& input);

/// Whether a model's plan is worth its call: the gate's answer, asked with the prompt's real length where money decides, and
/// no where everything is sent whatever a plan says. `older`: the messages before the cut; may be null. Pure.
[[nodiscard]] GateDecision ask_gate(const PlanInput& input, const Artifact* older);

/// Question and goal, for which a model is asked once.
[[nodiscard]] Fingerprint asked_question(const PlanInput& input);

/// Whether a model was asked about this question when there was at least half as much as now.
[[nodiscard]] bool was_asked_before(const PlanInput& input, const PlanOutcome& outcome);

/// The call for a plan, within the policy and within the planner's own window. Pure.
[[nodiscard]] PlannerCall planner_request(const PlanInput& input, const Artifact* older);

/// What plans and summaries of this build may take.
[[nodiscard]] PlanningCap planning_cap(const PlanInput& input);

/// Whether the most that the call can take is within it.
[[nodiscard]] bool allows_call(const PlanInput& input, const PlannerCall& call);

}  // namespace ctxmgr::engine
