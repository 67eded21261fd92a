#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/engine/build_request.hpp"

namespace ctxmgr {

/// The figures that the gate decides by.
struct PlanningSituation {
  std::size_t artifacts = 0;
  std::size_t historical_artifacts = 0;  ///< How many of them are from earlier turns.
  std::int64_t total_chars = 0;          ///< Characters of all artifacts.
  std::int64_t largest_chars = 0;        ///< Characters of the largest one.
  std::int64_t needed_tokens = 0;        ///< Tokens if everything were included.
  std::int64_t available_tokens = 0;     ///< The budget for it.

  // What planning is expected to take, where that is known; else it is estimated from the figures above.
  std::int64_t planner_prompt_tokens = 0;
  std::int64_t summarized_tokens = 0;               ///< Tokens of the texts to be summarised.
  std::int64_t summary_tokens = 0;                  ///< Tokens of these summaries.
  std::optional<std::int64_t> rewritten_tokens{};   ///< Tokens that a provider's cache would have to write anew.
  std::optional<std::chrono::milliseconds> time{};  ///< Time left until the caller's deadline.
};

/// When a planning call is worth it.
struct GateThresholds {
  std::int64_t min_total_chars = 5'000;            ///< Artifacts with less than this in all are not worth a call.
  std::int64_t large_artifact_chars = 10'000;      ///< One larger than this is.
  double expensive_input_usd_per_token = 0.00001;  ///< A primary dearer than this: every token saved counts.
  double fits_with_buffer = 0.7;                   ///< Up to this share of the budget counts as "fits with a buffer".

  /// A plan that would cost more than it saves over this many further turns is not asked for. Needs prices. Unset: nothing is
  /// reckoned; a build takes as many further turns as the user has had so far.
  std::optional<int> expected_remaining_turns{};
};

struct GateDecision {
  bool use_llm = false;
  std::string reason{};  ///< The row that decided, by the name given below.
};

/// Whether a model's plan is worth its call; else the deterministic planner does it. The first row that applies decides:
///
/// | row                       | decision |
/// |---------------------------|----------|
/// | `no_artifacts`            | no       |
/// | `small_and_fits`          | no: less than `min_total_chars` in all |
/// | `historical_artifacts`    | yes      |
/// | `fits_with_buffer`        | no: within `fits_with_buffer`, a cheap primary (or `price_unknown`), nothing large |
/// | `near_or_over_limit`      | yes: over `fits_with_buffer` of the budget |
/// | `expensive_primary`       | yes      |
/// | `large_artifact`          | yes: one over `large_artifact_chars` |
/// | `cheap`                   | no       |
///
/// A yes becomes `planner_too_small` where the planner's name speaks of less than a billion parameters ("qwen2.5:0.5b").
/// It becomes `no_time` where the planner's time limit is longer than the time left until the deadline, and
/// `costs_more_than_it_saves` where prices and `expected_remaining_turns` say so. The plan, the summaries and writing the
/// changed prompt to the provider's cache are paid once. Tokens that they take out of the prompt are saved at the primary's price on
/// this turn, and at its price of cached input on every turn that follows.
/// `PlannerMode` overrides all rows but the first: `llm_requested`, `llm_forbidden`. Pure.
[[nodiscard]] CTXMGR_API GateDecision should_use_llm_planning(const PlanningSituation& situation,
                                                              const ModelConfig& models, const ModelCatalog& catalog,
                                                              const PlanningPolicy& policy = {},
                                                              const GateThresholds& thresholds = {});

}  // namespace ctxmgr
