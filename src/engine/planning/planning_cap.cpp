#include "engine/planning/planning_cap.hpp"

#include <algorithm>

#include "core/most_tokens.hpp"

namespace ctxmgr::engine {
namespace {

// Sums of prices are not exact: this much of a USD is none.
constexpr double rounding_usd = 1e-12;

template <class Number>
std::optional<Number> less(const std::optional<Number>& limit, Number taken) {
  if (!limit) return std::nullopt;
  return std::max(Number{0}, *limit - taken);
}

}  // namespace

Spending spending_of(const UsageMetadata& usage, const ModelInfo& model) {
  return {std::min(usage.total_tokens(), most_tokens), cost_of(usage, model).total_cost_usd()};
}

Spending most_of(const LlmRequest& request, const TokenCounter& counter, const ModelInfo& model) {
  UsageMetadata usage;
  usage.prompt_tokens = count_messages(counter, request.messages) + counter.count(request.response_schema_json);
  usage.completion_tokens = request.max_output_tokens.value_or(model.max_output_tokens);
  return spending_of(usage, model);
}

PlanningCap::PlanningCap(const PlanningPolicy& policy, const Spending& before)
    : tokens_(less(policy.max_planning_tokens, before.tokens)), usd_(less(policy.max_planning_usd, before.usd)) {}

bool PlanningCap::allows(const Spending& most) const {
  return (!tokens_ || most.tokens <= *tokens_) && (!usd_ || most.usd <= *usd_ + rounding_usd);
}

void PlanningCap::take(const Spending& spending) {
  if (tokens_) *tokens_ -= spending.tokens;
  if (usd_) *usd_ -= spending.usd;
}

Spending PlanningCap::within(Spending most) const {
  if (tokens_) most.tokens = std::clamp<std::int64_t>(*tokens_, 0, most.tokens);
  if (usd_) most.usd = std::clamp(*usd_, 0.0, most.usd);
  return most;
}

}  // namespace ctxmgr::engine
