#include "ctxmgr/engine/planning_gate.hpp"

#include <algorithm>

#include "core/models/model_names.hpp"
#include "engine/planning/planner_call.hpp"

namespace ctxmgr {
namespace {

// What a planning round costs in tokens, where the situation does not say: what the planner answers, what it sees of an
// artifact, and the length of a summary beside its source.
constexpr double planner_output_tokens = 600;
constexpr double planner_tokens_per_artifact = 150;
constexpr double summary_share = 0.1;

// Models of 0.1 and 0.5 billion parameters made no plan that was worth its call (docs/proof/measured.md).
constexpr double least_planner_billions = 1;

double price(const std::optional<double>& specific, const std::optional<double>& fallback) {
  return specific ? *specific : fallback.value_or(0);
}

double planning_cost(const PlanningSituation& situation, const ModelInfo& planner) {
  const double estimated = std::min(static_cast<double>(engine::planner_prompt_tokens),
                                    static_cast<double>(situation.artifacts) * planner_tokens_per_artifact);
  const double seen =
      situation.planner_prompt_tokens > 0 ? static_cast<double>(situation.planner_prompt_tokens) : estimated;
  return seen * *planner.input_usd_per_token + planner_output_tokens * planner.output_usd_per_token.value_or(0);
}

double summary_cost(const PlanningSituation& situation, double needed, const ModelInfo& summarizer) {
  const bool known = situation.planner_prompt_tokens > 0;
  const double source = known ? static_cast<double>(situation.summarized_tokens) : needed;
  const double written = known ? static_cast<double>(situation.summary_tokens) : needed * summary_share;
  return source * *summarizer.input_usd_per_token + written * summarizer.output_usd_per_token.value_or(0);
}

/// Planning and summaries are paid once, and so is writing the changed prefix to the provider's cache. What they take out
/// of the prompt is saved on this turn and on every turn that follows, at the price of cached input; the room that there is
/// is filled whoever plans.
bool costs_more_than_it_saves(const PlanningSituation& situation, const ModelConfig& models,
                              const ModelCatalog& catalog, const GateThresholds& thresholds) {
  const auto primary = catalog.find(models.primary);
  const auto planner = catalog.find(models.context_planner);
  const auto summarizer = catalog.find(models.summarizer);
  if (!thresholds.expected_remaining_turns || !primary.input_usd_per_token || !planner.input_usd_per_token ||
      !summarizer.input_usd_per_token) {
    return false;
  }
  const auto needed = static_cast<double>(situation.needed_tokens);
  // More than the window could not have been sent, so that it is not saved.
  const double sendable = std::min(needed, static_cast<double>(primary.context_window_tokens));
  const double sent = std::min(needed, static_cast<double>(situation.available_tokens));
  const double fresh = *primary.input_usd_per_token;
  const double write = price(primary.cache_write_usd_per_token, primary.input_usd_per_token);
  const double read = price(primary.cached_input_usd_per_token, primary.input_usd_per_token);
  const double rewritten = situation.rewritten_tokens ? static_cast<double>(*situation.rewritten_tokens) : sent;
  const double cost = planning_cost(situation, planner) + summary_cost(situation, needed, summarizer) +
                      rewritten * std::max(0.0, write - read);
  const double saved =
      std::max(0.0, sendable - sent) * (fresh + read * std::max(0, *thresholds.expected_remaining_turns));
  return cost > saved;
}

GateDecision by_rows(const PlanningSituation& situation, const ModelConfig& models, const ModelCatalog& catalog,
                     const GateThresholds& thresholds) {
  const bool fits = situation.needed_tokens <= situation.available_tokens;
  const bool buffered = static_cast<double>(situation.needed_tokens) <=
                        static_cast<double>(situation.available_tokens) * thresholds.fits_with_buffer;
  const bool expensive = models.is_expensive_primary(catalog, thresholds.expensive_input_usd_per_token);
  const bool large = situation.largest_chars > thresholds.large_artifact_chars;
  if (situation.total_chars < thresholds.min_total_chars && fits) return {false, "small_and_fits"};
  if (situation.historical_artifacts > 0) return {true, "historical_artifacts"};
  if (buffered && !expensive && !large) {
    const bool priced = catalog.find(models.primary).input_usd_per_token.has_value();
    return {false, priced ? "fits_with_buffer" : "fits_with_buffer (price_unknown)"};
  }
  if (!buffered) return {true, "near_or_over_limit"};
  if (expensive) return {true, "expensive_primary"};
  if (large) return {true, "large_artifact"};
  return {false, "cheap"};
}

}  // namespace

GateDecision should_use_llm_planning(const PlanningSituation& situation, const ModelConfig& models,
                                     const ModelCatalog& catalog, const PlanningPolicy& policy,
                                     const GateThresholds& thresholds) {
  if (situation.artifacts == 0) return {false, "no_artifacts"};
  if (policy.mode == PlannerMode::llm || policy.mode == PlannerMode::llm_or_fail) return {true, "llm_requested"};
  if (policy.mode != PlannerMode::automatic) return {false, "llm_forbidden"};
  auto decision = by_rows(situation, models, catalog, thresholds);
  if (decision.use_llm &&
      billions_of_parameters(models.context_planner).value_or(least_planner_billions) < least_planner_billions)
    return {false, "planner_too_small"};
  if (decision.use_llm && situation.time && *situation.time < policy.planner_timeout) return {false, "no_time"};
  if (decision.use_llm && costs_more_than_it_saves(situation, models, catalog, thresholds)) {
    return {false, "costs_more_than_it_saves"};
  }
  return decision;
}

}  // namespace ctxmgr
