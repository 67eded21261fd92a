#include "engine/planning/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/models/similar_models.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t default_reserve = 4'096;

double share_of_window(ContextUtilization utilization) {
  switch (utilization) {
    case ContextUtilization::low: return 0.33;
    case ContextUtilization::medium: return 0.66;
    case ContextUtilization::full: return 1.0;
  }
  return 1.0;
}

tl::unexpected<Error> out_of_range(const char* field) {
  return fail(ErrorCode::invalid_argument, fmt::format("{} has to be between 0 and {}", field, most_tokens));
}

Result<void> check(const BudgetOptions& options) {
  const auto in_range = [](const std::optional<std::int64_t>& tokens) {
    return !tokens || (*tokens >= 0 && *tokens <= most_tokens);
  };
  if (!in_range(options.max_input_tokens)) return out_of_range("budget.max_input_tokens");
  if (!in_range(options.context_window_tokens)) return out_of_range("budget.context_window_tokens");
  if (!in_range(options.default_window_tokens)) return out_of_range("budget.default_window_tokens");
  if (!in_range(options.reserved_output_tokens)) return out_of_range("budget.reserved_output_tokens");
  if (!(options.safety_factor >= 1.0 && options.safety_factor <= 10.0))
    return fail(ErrorCode::invalid_argument, "budget.safety_factor has to be between 1 and 10");
  if (!(options.calibration >= 0.1 && options.calibration <= 10.0))
    return fail(ErrorCode::invalid_argument, "budget.calibration has to be between 0.1 and 10");
  return {};
}

std::string unknown_model(const std::string& name) {
  const auto similar = similar_models(name);
  const auto meant = similar.empty() ? std::string() : fmt::format(" (did you mean {}?)", fmt::join(similar, ", "));
  return fmt::format(
      "the window of the model \"{}\" is not known{}: set budget.max_input_tokens or budget.context_window_tokens",
      name.substr(0, 200), meant);
}

/// The window of a model. That of a client's own model, which has no name here, is assumed; a name that says nothing is not.
Result<std::int64_t> window_of(const BudgetOptions& options, const ModelInfo& model, std::vector<std::string>& notes) {
  if (options.context_window_tokens) return *options.context_window_tokens;
  if (model.known || options.max_input_tokens) return model.context_window_tokens;
  if (options.default_window_tokens) {
    notes.push_back(
        fmt::format("unknown model: the default window of {} tokens is taken", *options.default_window_tokens));
    return *options.default_window_tokens;
  }
  if (!model.model.empty()) return fail(ErrorCode::invalid_argument, unknown_model(model.model));
  notes.push_back(fmt::format("unknown model: a window of {} tokens is assumed", model.context_window_tokens));
  return model.context_window_tokens;
}

}  // namespace

Result<void> check(const HistoryPolicy& policy) {
  for (const auto& [name, share] : {std::pair("target_fill", policy.target_fill),
                                    {"evidence_share", policy.evidence_share},
                                    {"notes_share", policy.notes_share}}) {
    if (!(share >= 0.0 && share <= 1.0))
      return fail(ErrorCode::invalid_argument, "history." + std::string(name) + " has to be between 0 and 1");
  }
  if (policy.service_compacts_at && *policy.service_compacts_at <= 0)
    return fail(ErrorCode::invalid_argument, "history.service_compacts_at has to be positive");
  return {};
}

Result<void> check(const PlanningPolicy& policy) {
  const auto figure = [](const auto& limit) { return limit ? static_cast<double>(*limit) : 0.0; };
  for (const auto& [name, value] : {std::pair("min_total_chars", static_cast<double>(policy.min_total_chars)),
                                    {"large_artifact_chars", static_cast<double>(policy.large_artifact_chars)},
                                    {"expensive_input_usd_per_token", policy.expensive_input_usd_per_token},
                                    {"fits_with_buffer", policy.fits_with_buffer},
                                    {"expected_remaining_turns", figure(policy.expected_remaining_turns)},
                                    {"planner_timeout", static_cast<double>(policy.planner_timeout.count())},
                                    {"planner_max_tokens", static_cast<double>(policy.planner_max_tokens)},
                                    {"max_planning_tokens", figure(policy.max_planning_tokens)},
                                    {"max_planning_usd", figure(policy.max_planning_usd)},
                                    {"max_thread_planning_tokens", figure(policy.max_thread_planning_tokens)},
                                    {"max_thread_planning_usd", figure(policy.max_thread_planning_usd)}}) {
    if (!(value >= 0.0))
      return fail(ErrorCode::invalid_argument, "planning." + std::string(name) + " has to be a number of at least 0");
  }
  return {};
}

Result<TokenBudget> compute_budget(const BudgetOptions& options, const ModelInfo& model, std::int64_t tools_tokens,
                                   bool exact_counter, std::vector<std::string>& notes) {
  if (auto checked = check(options); !checked) return tl::unexpected(checked.error());
  TokenBudget budget;
  const auto window = window_of(options, model, notes);
  if (!window) return tl::unexpected(window.error());
  budget.context_window = std::clamp<std::int64_t>(*window, 0, most_tokens);
  budget.tools = tools_tokens;
  if (!exact_counter) notes.emplace_back("tokens are estimated: no exact counter for this model's vocabulary");
  if (options.max_input_tokens) {
    // What the service counts more than is counted here does not fit into a number that a host gave, either.
    const double more = std::max(1.0, options.calibration);
    const auto countable = static_cast<std::int64_t>(std::floor(static_cast<double>(*options.max_input_tokens) / more));
    budget.max_input = countable - tools_tokens;
    if (more > 1.0)
      notes.push_back(
          fmt::format("the budget of {} tokens was divided by {:.2f}: the service counts so many for one here",
                      *options.max_input_tokens, more));
  } else {
    const auto usable = static_cast<std::int64_t>(
        std::floor(static_cast<double>(budget.context_window) * share_of_window(options.utilization)));
    budget.reserved_output = options.reserved_output_tokens.value_or(std::min(default_reserve, usable / 4));
    const double factor = options.calibration * (exact_counter ? 1.0 : options.safety_factor);
    const auto countable = static_cast<double>(usable - budget.reserved_output) / factor;
    budget.max_input = static_cast<std::int64_t>(std::floor(countable)) - tools_tokens;
  }
  if (budget.max_input < 0) {
    return fail(
        ErrorCode::budget_exceeded,
        fmt::format("tool definitions ({} tokens) and the reply ({} tokens) leave no room in the budget of {}",
                    tools_tokens, budget.reserved_output, options.max_input_tokens.value_or(budget.context_window)));
  }
  return budget;
}

}  // namespace ctxmgr::engine
