#include "engine/planning/budget.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "core/worded.hpp"
#include "ctxmgr/core/model_catalog.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t default_reserve = 4'096;

// What an estimate may be wrong by, and a service refuses.
constexpr double safety_factor = 1.3;

double share_of_window(ContextUtilization utilization) {
  switch (utilization) {
    case ContextUtilization::low: return 0.33;
    case ContextUtilization::medium: return 0.66;
    case ContextUtilization::full: return 1.0;
  }
  return 1.0;
}

tl::unexpected<Error> out_of_range(const char* field) {
  return fail(ErrorCode::invalid_argument, worded("{} has to be between 0 and {}", field, most_tokens));
}

Result<void> check(const BudgetOptions& options) {
  const auto in_range = [](const std::optional<std::int64_t>& tokens) {
    return !tokens || (*tokens >= 0 && *tokens <= most_tokens);
  };
  if (!in_range(options.max_input_tokens)) return out_of_range("budget.max_input_tokens");
  if (!in_range(options.context_window_tokens)) return out_of_range("budget.context_window_tokens");
  if (!in_range(options.reserved_output_tokens)) return out_of_range("budget.reserved_output_tokens");
  if (!(options.calibration >= 0.1 && options.calibration <= 10.0))
    return fail(ErrorCode::invalid_argument, "budget.calibration has to be between 0.1 and 10");
  return {};
}

std::string unknown_model(const std::string& name) {
  const auto similar = ModelCatalog().similar(name);
  const auto meant = similar.empty() ? std::string() : worded(" (did you mean {}?)", joined(similar, ", "));
  return worded(
      "the window of the model \"{}\" is not known{}: set budget.max_input_tokens or budget.context_window_tokens",
      name.substr(0, 200), meant);
}

/// The window of a model. That of a client's own model, which has no name here, is assumed; a name that says nothing is not.
Result<std::int64_t> window_of(const BudgetOptions& options, const ModelInfo& model, Notes& notes) {
  if (options.context_window_tokens) return *options.context_window_tokens;
  if (model.known || options.max_input_tokens) return model.context_window_tokens;
  if (!model.model.empty()) return fail(ErrorCode::invalid_argument, unknown_model(model.model));
  notes.push_back({NoteCode::window_assumed,
                   worded("unknown model: a window of {} tokens is assumed", model.context_window_tokens)});
  return model.context_window_tokens;
}

template <class Number>
double figure(const std::optional<Number>& limit) {
  return limit ? static_cast<double>(*limit) : 0.0;
}

Result<void> check_figures(std::initializer_list<std::pair<std::string_view, double>> figures) {
  for (const auto& [name, value] : figures) {
    if (!(value >= 0.0))
      return fail(ErrorCode::invalid_argument, std::string(name) + " has to be a number of at least 0");
  }
  return {};
}

}  // namespace

Result<void> check(const HistoryPolicy& policy) {
  for (const auto& [name, share] : {std::pair("target_fill", policy.target_fill),
                                    {"evidence_share", policy.evidence_share},
                                    {"notes_share", policy.notes_share}}) {
    if (!(share >= 0.0 && share <= 1.0))
      return fail(ErrorCode::invalid_argument, "history." + std::string(name) + " has to be between 0 and 1");
  }
  if (policy.evidence_tokens.value_or(0) < 0)
    return fail(ErrorCode::invalid_argument, "history.evidence_tokens is negative");
  if (policy.service_compacts_at && *policy.service_compacts_at <= 0)
    return fail(ErrorCode::invalid_argument, "history.service_compacts_at has to be positive");
  return {};
}

Result<void> check(const PlanningPolicy& policy) {
  return check_figures({{"planning.planner_timeout", static_cast<double>(policy.planner_timeout.count())},
                        {"planning.max_planning_tokens", figure(policy.max_planning_tokens)}});
}

Result<void> check(const GateThresholds& gate) {
  return check_figures({{"gate.min_total_chars", static_cast<double>(gate.min_total_chars)},
                        {"gate.large_artifact_chars", static_cast<double>(gate.large_artifact_chars)},
                        {"gate.expensive_input_usd_per_token", gate.expensive_input_usd_per_token},
                        {"gate.fits_with_buffer", gate.fits_with_buffer},
                        {"gate.expected_remaining_turns", figure(gate.expected_remaining_turns)}});
}

Result<TokenBudget> compute_budget(const BudgetOptions& options, const ModelInfo& model, std::int64_t tools_tokens,
                                   bool exact_counter, Notes& notes) {
  if (auto checked = check(options); !checked) return tl::unexpected(checked.error());
  TokenBudget budget;
  const auto window = window_of(options, model, notes);
  if (!window) return tl::unexpected(window.error());
  budget.context_window = std::clamp<std::int64_t>(*window, 0, most_tokens);
  budget.tools = tools_tokens;
  if (!exact_counter)
    notes.push_back(
        {NoteCode::tokens_estimated, worded("tokens are estimated: no exact counter for this model's vocabulary{}",
                                            model.tokenizer.empty() ? "" : " (" + model.tokenizer + ")")});
  if (options.max_input_tokens) {
    // What the service counts more than is counted here does not fit into a number that a host gave, either.
    const double more = std::max(1.0, options.calibration);
    const auto countable = static_cast<std::int64_t>(std::floor(static_cast<double>(*options.max_input_tokens) / more));
    budget.max_input = countable - tools_tokens;
    if (more > 1.0)
      notes.push_back({NoteCode::budget_divided,
                       worded("the budget of {} tokens was divided by {}: the service counts so many for one here",
                              *options.max_input_tokens, decimals(more, 2))});
  } else {
    const auto usable = static_cast<std::int64_t>(
        std::floor(static_cast<double>(budget.context_window) * share_of_window(options.utilization)));
    budget.reserved_output = options.reserved_output_tokens.value_or(std::min(default_reserve, usable / 4));
    const double factor = options.calibration * (exact_counter ? 1.0 : safety_factor);
    const auto countable = static_cast<double>(usable - budget.reserved_output) / factor;
    budget.max_input = static_cast<std::int64_t>(std::floor(countable)) - tools_tokens;
  }
  if (budget.max_input < 0) {
    return fail(ErrorCode::budget_exceeded,
                worded("tool definitions ({} tokens) and the reply ({} tokens) leave no room in the budget of {}",
                       tools_tokens, budget.reserved_output, options.max_input_tokens.value_or(budget.context_window)));
  }
  return budget;
}

std::string origin_of(const TokenBudget& budget, const BudgetOptions& options) {
  if (!options.max_input_tokens || *options.max_input_tokens == budget.max_input) return {};
  auto words = worded("; {} is {}", budget.max_input, *options.max_input_tokens);
  if (options.calibration > 1.0)
    words += worded(" divided by {}, as the service counts so many for one here", decimals(options.calibration, 2));
  if (budget.tools > 0) words += worded(", less {} for tools", budget.tools);
  return words;
}

}  // namespace ctxmgr::engine
