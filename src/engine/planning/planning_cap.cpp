#include "engine/planning/planning_cap.hpp"

#include <algorithm>

#include "core/most_tokens.hpp"

namespace ctxmgr::engine {

Spending spending_of(const UsageMetadata& usage, const ModelInfo& model) {
  return {std::min(usage.total_tokens(), most_tokens), cost_of(usage, model).total_cost_usd()};
}

Spending most_of(const LlmRequest& request, const TokenCounter& counter, const ModelInfo& model) {
  UsageMetadata usage;
  usage.prompt_tokens = count_messages(counter, request.messages) + counter.count(request.response_schema_json);
  usage.completion_tokens = request.max_output_tokens.value_or(model.max_output_tokens);
  return spending_of(usage, model);
}

PlanningCap::PlanningCap(const PlanningPolicy& policy, const Spending& before) : tokens_(policy.max_planning_tokens) {
  if (tokens_) tokens_ = std::max<std::int64_t>(0, *tokens_ - before.tokens);
}

bool PlanningCap::allows(const Spending& most) const { return !tokens_ || most.tokens <= *tokens_; }

void PlanningCap::take(const Spending& spending) {
  if (tokens_) *tokens_ -= spending.tokens;
}

Spending PlanningCap::within(Spending most) const {
  if (tokens_) most.tokens = std::clamp<std::int64_t>(*tokens_, 0, most.tokens);
  return most;
}

}  // namespace ctxmgr::engine
