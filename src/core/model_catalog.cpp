#include "ctxmgr/core/model_catalog.hpp"

#include <algorithm>
#include <utility>

#include "core/model_catalog_data.hpp"
#include "core/model_catalog_file.hpp"
#include "core/model_names.hpp"

namespace ctxmgr {

struct ModelCatalog::Impl {
  CatalogFile file;
};

ModelCatalog::ModelCatalog() {
  // Immutable once it is there, so that sharing it is not sharing state.
  static const auto snapshot = std::make_shared<const Impl>(Impl{read_catalog_file(model_catalog_data).value()});
  impl_ = snapshot;
}

ModelCatalog::ModelCatalog(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<ModelCatalog> ModelCatalog::parse(std::string_view json) {
  return read_catalog_file(json).map(
      [](CatalogFile file) { return ModelCatalog(std::make_shared<const Impl>(Impl{std::move(file)})); });
}

ModelCatalog ModelCatalog::with(ModelInfo info) const {
  Impl next = *impl_;
  info.known = true;
  std::string name = candidate_model_names(info.model).front();
  next.file.models.insert_or_assign(std::move(name), std::move(info));
  return ModelCatalog(std::make_shared<const Impl>(std::move(next)));
}

ModelInfo ModelCatalog::find(std::string_view model) const {
  for (const std::string& name : candidate_model_names(model)) {
    const auto found = impl_->file.models.find(name);
    if (found != impl_->file.models.end()) return found->second;
  }
  ModelInfo unknown;
  unknown.model = model;
  unknown.tokenizer = tokenizer_of(model);
  return unknown;
}

std::string_view ModelCatalog::as_of() const { return impl_->file.as_of; }

CostMetadata cost_of(const UsageMetadata& usage, const ModelInfo& model) {
  const std::int64_t prompt = std::max<std::int64_t>(0, usage.prompt_tokens);
  const std::int64_t cached = std::clamp<std::int64_t>(usage.cached_prompt_tokens, 0, prompt);
  const std::int64_t written = std::clamp<std::int64_t>(usage.cache_write_tokens, 0, prompt - cached);
  const double input_price = model.input_usd_per_token.value_or(0);
  const double cached_price = model.cached_input_usd_per_token.value_or(input_price);
  const double write_price = model.cache_write_usd_per_token.value_or(input_price);

  CostMetadata cost;
  cost.prompt_cost_usd = static_cast<double>(prompt - cached - written) * input_price +
                         static_cast<double>(cached) * cached_price + static_cast<double>(written) * write_price;
  cost.completion_cost_usd =
      static_cast<double>(std::max<std::int64_t>(0, usage.completion_tokens)) * model.output_usd_per_token.value_or(0);
  return cost;
}

}  // namespace ctxmgr
