#pragma once
#include <cstddef>

#include "engine/build/plan_values.hpp"
#include "engine/planning/planning_cap.hpp"

namespace ctxmgr::engine {

/// What planning takes at most, if every reply is as long as it may be.
struct PlanningEstimate {
  std::size_t calls = 0;
  Spending spending{};
};

/// For a plan that was made or given: its summaries. Where a model is to plan: the plan, and a summary of everything. Never
/// more than the policy allows; nothing is looked up in the cache. Puts the text of older messages into `outcome`.
[[nodiscard]] PlanningEstimate most_that_planning_takes(const PlanInput& input, PlanOutcome& outcome,
                                                        bool asks_planner);

}  // namespace ctxmgr::engine
