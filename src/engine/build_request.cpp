#include "ctxmgr/engine/build_request.hpp"

#include <cstdlib>
#include <utility>

namespace ctxmgr {
namespace {

/// Plans and summarises for a request's model.
constexpr const char* cheap_model = "gpt-4o-mini";

void set_from_environment(std::string& model, const char* variable) {
  const char* value = std::getenv(variable);
  if (value != nullptr && *value != '\0') model = value;
}

}  // namespace

ModelConfig ModelConfig::from_request(std::string primary, const ModelConfig& defaults) {
  ModelConfig config = defaults;
  config.primary = std::move(primary);
  return config;
}

ModelConfig ModelConfig::from_request(std::string primary) { return {std::move(primary), cheap_model, cheap_model}; }

ModelConfig ModelConfig::from_environment(std::string primary) {
  ModelConfig config = from_request(std::move(primary));
  set_from_environment(config.context_planner, "CONTEXT_PLANNER_MODEL");
  set_from_environment(config.summarizer, "SUMMARIZER_MODEL");
  return config;
}

ModelConfig ModelConfig::single(const std::string& model) { return {model, model, model}; }

bool ModelConfig::is_expensive_primary(const ModelCatalog& catalog, double threshold_usd_per_token) const {
  const auto price = catalog.find(primary).input_usd_per_token;
  return price && *price > threshold_usd_per_token;
}

}  // namespace ctxmgr
