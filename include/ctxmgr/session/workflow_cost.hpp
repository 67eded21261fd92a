#pragma once
#include <cstdint>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/usage.hpp"

namespace ctxmgr {

/// A workflow in which agents share what was said before, and then each say something, one call each.
struct WorkflowShape {
  std::int64_t shared_tokens = 0;  ///< Context that every agent is sent, as one prefix.
  std::int64_t agents = 1;
  std::int64_t input_tokens_per_agent = 0;  ///< Input of one agent's call, beyond what is shared.
  std::int64_t output_tokens_per_agent = 0;
};

enum class PromptCaching {
  ignored,  ///< Every token costs the full input price.
  counted,  ///< The provider keeps the shared prefix: the first call writes it, the others read it, if it is long enough.
};

struct WorkflowCost {
  UsageMetadata usage{};
  CostMetadata cost{};
};

/// What a workflow uses and costs, before it runs. Prices, and how long a prefix has to be to be cached, are the
/// model's (`ModelCatalog`, or set by hand). Counting on the cache supposes that the first call is answered before the
/// others are made: calls that are made at once may each write it. Negative figures count as none. Pure.
///
///     ModelInfo model;                      // 4 emails, each from 16 500 tokens of context:
///     model.input_usd_per_token = 0.075e-6;
///     model.output_usd_per_token = 0.30e-6;
///     WorkflowShape shape{16'500, 4, 0, 2'000};
///     estimate_workflow_cost(shape, model).cost.total_cost_usd();  // 0.00735
[[nodiscard]] CTXMGR_API WorkflowCost estimate_workflow_cost(const WorkflowShape& shape, const ModelInfo& model,
                                                             PromptCaching caching = PromptCaching::ignored);

}  // namespace ctxmgr
