#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/most_tokens.hpp"
#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/engine/build_request.hpp"

namespace ctxmgr::engine {

/// `invalid_argument` where a share is none.
[[nodiscard]] Result<void> check(const HistoryPolicy& policy);

/// `invalid_argument` where a limit is below zero or no number.
[[nodiscard]] Result<void> check(const PlanningPolicy& policy);

/// What the messages of a build may count. `notes` gets what had to be assumed. `invalid_argument` for
/// figures that make no sense, `budget_exceeded` where tools and reply leave nothing. Pure.
[[nodiscard]] Result<TokenBudget> compute_budget(const BudgetOptions& options, const ModelInfo& model,
                                                 std::int64_t tools_tokens, bool exact_counter,
                                                 std::vector<std::string>& notes);

}  // namespace ctxmgr::engine
