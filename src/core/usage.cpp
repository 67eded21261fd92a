#include "ctxmgr/core/usage.hpp"

#include <algorithm>

#include "ctxmgr/core/model_info.hpp"

namespace ctxmgr {

UsageMetadata estimate_workflow_usage(const WorkflowShape& shape, const ModelInfo& model) {
  const auto at_least_none = [](std::int64_t figure) { return std::max<std::int64_t>(figure, 0); };
  const std::int64_t agents = at_least_none(shape.agents);
  const std::int64_t shared = at_least_none(shape.shared_tokens);

  UsageMetadata usage;
  usage.calls = agents;
  usage.prompt_tokens = agents * (shared + at_least_none(shape.input_tokens_per_agent));
  usage.completion_tokens = agents * at_least_none(shape.output_tokens_per_agent);
  const bool is_cached = shape.is_prefix_cached && model.min_cached_prefix_tokens > 0 &&
                         shared >= model.min_cached_prefix_tokens && agents > 0;
  if (is_cached) {
    usage.cache_write_tokens = shared;
    usage.cached_prompt_tokens = (agents - 1) * shared;
  }
  return usage;
}

}  // namespace ctxmgr
