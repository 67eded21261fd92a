#include "ctxmgr/core/model_catalog.hpp"

#include <algorithm>
#include <utility>

#include "core/model_catalog_data.hpp"
#include "core/models/model_catalog_file.hpp"
#include "core/models/model_names.hpp"
#include "core/models/similar_models.hpp"

namespace ctxmgr {

struct ModelCatalog::Impl {
  CatalogFile file;
};

namespace {

/// A host's entry as a file's: what cannot be is unknown, or the default.
ModelInfo without_absurd(ModelInfo info) {
  for (auto* price : {&info.input_usd_per_token, &info.output_usd_per_token, &info.cached_input_usd_per_token,
                      &info.cache_write_usd_per_token}) {
    if (*price && !is_price(**price)) price->reset();
  }
  const ModelInfo unknown;
  if (!is_token_limit(info.context_window_tokens)) info.context_window_tokens = unknown.context_window_tokens;
  if (!is_token_limit(info.max_output_tokens)) info.max_output_tokens = unknown.max_output_tokens;
  if (!is_token_limit(info.min_cached_prefix_tokens)) info.min_cached_prefix_tokens = unknown.min_cached_prefix_tokens;
  return info;
}

/// Where there is no price, or none that can be one, another.
double price_or(const std::optional<double>& price, double otherwise) {
  return price && is_price(*price) ? *price : otherwise;
}

}  // namespace

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
  info = without_absurd(std::move(info));
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
  if (const auto family = model_family(model)) {
    unknown.context_window_tokens = family->context_window_tokens;
    unknown.known = true;
  }
  return unknown;
}

std::vector<std::string> ModelCatalog::similar(std::string_view model) const {
  return similar_models(model, impl_->file);
}

std::string_view ModelCatalog::as_of() const { return impl_->file.as_of; }

CostMetadata cost_of(const UsageMetadata& usage, const ModelInfo& model) {
  const std::int64_t prompt = std::max<std::int64_t>(0, usage.prompt_tokens);
  const std::int64_t cached = std::clamp<std::int64_t>(usage.cached_prompt_tokens, 0, prompt);
  const std::int64_t written = std::clamp<std::int64_t>(usage.cache_write_tokens, 0, prompt - cached);
  const double input_price = price_or(model.input_usd_per_token, 0);
  const double cached_price = price_or(model.cached_input_usd_per_token, input_price);
  const double write_price = price_or(model.cache_write_usd_per_token, input_price);

  CostMetadata cost;
  cost.prompt_cost_usd = static_cast<double>(prompt - cached - written) * input_price +
                         static_cast<double>(cached) * cached_price + static_cast<double>(written) * write_price;
  cost.completion_cost_usd =
      static_cast<double>(std::max<std::int64_t>(0, usage.completion_tokens)) * price_or(model.output_usd_per_token, 0);
  return cost;
}

}  // namespace ctxmgr
