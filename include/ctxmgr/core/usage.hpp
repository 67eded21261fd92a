#pragma once
#include <cstdint>
#include <limits>

#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// Tokens that a service reported for one call or several. A service may report anything: in sums, a figure below zero
/// is 0, and they stop at the largest number.
struct UsageMetadata {
  std::int64_t prompt_tokens = 0;         ///< All input, whatever came from a cache included.
  std::int64_t cached_prompt_tokens = 0;  ///< Prompt tokens read from the provider's prompt cache.
  std::int64_t cache_write_tokens = 0;    ///< Prompt tokens written to that cache.
  std::int64_t completion_tokens = 0;
  std::int64_t calls = 0;

  [[nodiscard]] std::int64_t total_tokens() const { return sum(prompt_tokens, completion_tokens); }

  friend UsageMetadata operator+(const UsageMetadata& a, const UsageMetadata& b) {
    return {sum(a.prompt_tokens, b.prompt_tokens), sum(a.cached_prompt_tokens, b.cached_prompt_tokens),
            sum(a.cache_write_tokens, b.cache_write_tokens), sum(a.completion_tokens, b.completion_tokens),
            sum(a.calls, b.calls)};
  }

 private:
  static constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (a < 0) a = 0;
    if (b < 0) b = 0;
    return a > Limits::max() - b ? Limits::max() : a + b;
  }
};

/// The price of a usage, in USD; zero where the catalogue has no price.
struct CostMetadata {
  double prompt_cost_usd = 0;
  double completion_cost_usd = 0;

  [[nodiscard]] double total_cost_usd() const { return prompt_cost_usd + completion_cost_usd; }
};

struct ModelInfo;

/// A workflow in which agents share the earlier messages, and then each say something, one call each.
struct WorkflowShape {
  std::int64_t shared_tokens = 0;  ///< Context that every agent is sent, as one prefix.
  std::int64_t agents = 1;
  std::int64_t input_tokens_per_agent = 0;  ///< Input of one agent's call, beyond the shared messages.
  std::int64_t output_tokens_per_agent = 0;

  /// Whether the provider keeps the shared prefix: the first call writes it, the others read it, if it is as long as the
  /// model's `min_cached_prefix_tokens`. Supposes that the first call is answered before the others are made.
  bool is_prefix_cached = false;
};

/// The estimated usage of a workflow before it runs; `cost_of()` has its price. Negative figures count as none. Pure.
///
///     ModelInfo model;                      // 4 emails, each from 16 500 tokens of context:
///     model.input_usd_per_token = 0.075e-6;
///     model.output_usd_per_token = 0.30e-6;
///     cost_of(estimate_workflow_usage({16'500, 4, 0, 2'000}, model), model).total_cost_usd();  // 0.00735
[[nodiscard]] CTXMGR_API UsageMetadata estimate_workflow_usage(const WorkflowShape& shape, const ModelInfo& model);

}  // namespace ctxmgr
