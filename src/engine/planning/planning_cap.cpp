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

PlanningCap::PlanningCap(const PlanningPolicy& policy, std::int64_t before) : left_(policy.max_planning_tokens) {
  if (left_) left_ = std::max<std::int64_t>(0, *left_ - before);
}

void PlanningCap::take(std::int64_t tokens) {
  if (left_) *left_ -= tokens;
}

std::int64_t PlanningCap::within(std::int64_t most) const {
  return left_ ? std::clamp<std::int64_t>(*left_, 0, most) : most;
}

}  // namespace ctxmgr::engine
