#include "view/pricing.hpp"

#include <algorithm>

namespace ctxpack::view {

void price(Step& step, const Step* before, const ctxmgr::ModelCatalog& catalog) {
  const auto model = catalog.find(step.receipt.model_name);
  ctxmgr::UsageMetadata input = step.usage;
  input.completion_tokens = 0;
  if (input.calls == 0) {
    input.prompt_tokens = step.receipt.input_tokens_used + step.receipt.tools_tokens;
    input.cached_prompt_tokens = step.receipt.prefix_tokens_kept;
  }
  ctxmgr::UsageMetadata everything;
  everything.prompt_tokens = step.receipt.include_all_tokens + step.receipt.tools_tokens;
  if (before != nullptr)
    everything.cached_prompt_tokens =
        std::min(everything.prompt_tokens, before->receipt.include_all_tokens + before->receipt.tools_tokens);
  step.cost_usd = ctxmgr::cost_of(input, model).prompt_cost_usd;
  step.everything_usd = ctxmgr::cost_of(everything, model).prompt_cost_usd;
}

}  // namespace ctxpack::view
