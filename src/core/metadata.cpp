#include "ctxmgr/core/metadata.hpp"

#include <utility>

namespace ctxmgr {

ResponseMetadata make_response_metadata(ContextUtilizationMetadata context, const UsageMetadata& primary_usage,
                                        const ModelInfo& primary) {
  ResponseMetadata out;
  out.model = primary.model.empty() ? context.model_name : primary.model;
  out.usage = primary_usage;
  out.cost = cost_of(primary_usage, primary);
  out.total_usage = primary_usage + context.planning_usage.total();
  out.total_cost_usd = out.cost.total_cost_usd() + context.planning_cost.total_cost_usd();
  out.context_utilization = std::move(context);
  return out;
}

}  // namespace ctxmgr
