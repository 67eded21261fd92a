#pragma once
#include <string>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/model_catalog.hpp"

namespace ctxmgr {

/// Which model does what: the primary answers, cheap ones plan and summarise. A plain value: to override a model for
/// one request, set its member. An empty name means the client's own model.
struct ModelConfig {
  std::string primary{};
  std::string context_planner = "gpt-4o-mini";
  std::string summarizer = "gpt-4o-mini";

  /// The request's model, and the other two from `defaults`.
  [[nodiscard]] CTXMGR_API static ModelConfig from_request(std::string primary, const ModelConfig& defaults);
  [[nodiscard]] CTXMGR_API static ModelConfig from_request(std::string primary);

  /// The same, with CONTEXT_PLANNER_MODEL and SUMMARIZER_MODEL where they are set and not empty.
  [[nodiscard]] CTXMGR_API static ModelConfig from_environment(std::string primary = {});

  /// One model for everything, by the name under which a local server or a model in this process knows it.
  [[nodiscard]] CTXMGR_API static ModelConfig single(const std::string& model);

  /// Whether the primary's input price exceeds the threshold; false where the catalogue has no price for it.
  [[nodiscard]] CTXMGR_API bool is_expensive_primary(const ModelCatalog& catalog,
                                                     double threshold_usd_per_token = 0.00001) const;
};

}  // namespace ctxmgr
