#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/most_tokens.hpp"
#include "core/note.hpp"
#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/planning_gate.hpp"

namespace ctxmgr::engine {

/// The figures of one build, in tokens. The messages of a build never count more than `max_input`.
struct TokenBudget {
  std::int64_t context_window = 0;
  std::int64_t reserved_output = 0;
  std::int64_t tools = 0;      ///< Tool definitions, which are sent beside the messages.
  std::int64_t max_input = 0;  ///< What the messages may count.
  std::int64_t fixed = 0;      ///< What must be sent of it: system, pins, the last user message.
};

/// `invalid_argument` where a share is none.
[[nodiscard]] Result<void> check(const HistoryPolicy& policy);

/// `invalid_argument` where a limit is below zero or no number.
[[nodiscard]] Result<void> check(const PlanningPolicy& policy);
[[nodiscard]] Result<void> check(const GateThresholds& gate);

/// What the messages of a build may count. `notes` gets what had to be assumed. `invalid_argument` for
/// figures that make no sense, `budget_exceeded` where tools and reply leave nothing. Pure.
[[nodiscard]] Result<TokenBudget> compute_budget(const BudgetOptions& options, const ModelInfo& model,
                                                 std::int64_t tools_tokens, bool exact_counter, Notes& notes);

/// For an error that names `budget.max_input`: how it came from the figure that the host gave. Empty where it is that figure.
[[nodiscard]] std::string origin_of(const TokenBudget& budget, const BudgetOptions& options);

}  // namespace ctxmgr::engine
