#include "ctxmgr/session/workflow_cost.hpp"

#include <algorithm>

namespace ctxmgr {

WorkflowCost estimate_workflow_cost(const WorkflowShape& shape, const ModelInfo& model, PromptCaching caching) {
  const auto at_least_none = [](std::int64_t figure) { return std::max<std::int64_t>(figure, 0); };
  const std::int64_t agents = at_least_none(shape.agents);
  const std::int64_t shared = at_least_none(shape.shared_tokens);

  WorkflowCost estimate;
  estimate.usage.calls = agents;
  estimate.usage.prompt_tokens = agents * (shared + at_least_none(shape.input_tokens_per_agent));
  estimate.usage.completion_tokens = agents * at_least_none(shape.output_tokens_per_agent);
  const bool is_cached = caching == PromptCaching::counted && model.min_cached_prefix_tokens > 0 &&
                         shared >= model.min_cached_prefix_tokens && agents > 0;
  if (is_cached) {
    estimate.usage.cache_write_tokens = shared;
    estimate.usage.cached_prompt_tokens = (agents - 1) * shared;
  }
  estimate.cost = cost_of(estimate.usage, model);
  return estimate;
}

}  // namespace ctxmgr
