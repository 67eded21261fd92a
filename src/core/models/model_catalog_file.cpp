#include "core/models/model_catalog_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json/json.hpp"
#include "core/models/model_names.hpp"

namespace ctxmgr {
namespace {

constexpr double per_million = 1e6;

/// Where a cache is known to exist but not how short a prefix it takes: what most providers document.
constexpr std::int64_t usual_min_cached_prefix = 1'024;

/// A price, if it can be one of a token: a dollar at most.
std::optional<double> get_price(const Json& object, std::string_view key, double tokens = 1) {
  const auto price = get_double(object, key);
  if (!price || !is_price(*price) || *price / tokens > 1) return std::nullopt;
  return *price / tokens;
}

/// Replaces the default, if the file has a sensible number of tokens.
void get_tokens(const Json& object, std::string_view key, std::int64_t& out) {
  const auto tokens = get_int(object, key);
  if (tokens && is_token_limit(*tokens)) out = *tokens;
}

void set_text(const Json& object, std::string_view key, std::string& out) {
  if (const std::string* text = get_string(object, key)) out = *text;
}

ModelInfo named(std::string_view name) {
  ModelInfo info;
  info.model = name;
  info.tokenizer = tokenizer_of(name);
  info.known = true;
  return info;
}

ModelInfo read_own(std::string_view name, const Json& json) {
  ModelInfo info = named(name);
  set_text(json, "provider", info.provider);
  set_text(json, "tokenizer", info.tokenizer);
  get_tokens(json, "context_window_tokens", info.context_window_tokens);
  get_tokens(json, "max_output_tokens", info.max_output_tokens);
  get_tokens(json, "min_cached_prefix_tokens", info.min_cached_prefix_tokens);
  info.input_usd_per_token = get_price(json, "input_usd_per_million", per_million);
  info.output_usd_per_token = get_price(json, "output_usd_per_million", per_million);
  info.cached_input_usd_per_token = get_price(json, "cached_input_usd_per_million", per_million);
  info.cache_write_usd_per_token = get_price(json, "cache_write_usd_per_million", per_million);
  return info;
}

ModelInfo read_litellm(std::string_view name, const Json& json) {
  ModelInfo info = named(name);
  set_text(json, "litellm_provider", info.provider);
  get_tokens(json, "max_tokens", info.context_window_tokens);
  get_tokens(json, "max_input_tokens", info.context_window_tokens);
  get_tokens(json, "max_tokens", info.max_output_tokens);
  get_tokens(json, "max_output_tokens", info.max_output_tokens);
  info.input_usd_per_token = get_price(json, "input_cost_per_token");
  info.output_usd_per_token = get_price(json, "output_cost_per_token");
  info.cached_input_usd_per_token = get_price(json, "cache_read_input_token_cost");
  info.cache_write_usd_per_token = get_price(json, "cache_creation_input_token_cost");
  if (info.cached_input_usd_per_token) info.min_cached_prefix_tokens = usual_min_cached_prefix;
  return info;
}

ModelInfo read_models_dev(std::string_view name, const std::string& provider, const Json& json) {
  ModelInfo info = named(name);
  info.provider = provider;
  if (const Json* limit = find_field(json, "limit")) {
    get_tokens(*limit, "context", info.context_window_tokens);
    get_tokens(*limit, "output", info.max_output_tokens);
  }
  if (const Json* cost = find_field(json, "cost")) {
    info.input_usd_per_token = get_price(*cost, "input", per_million);
    info.output_usd_per_token = get_price(*cost, "output", per_million);
    info.cached_input_usd_per_token = get_price(*cost, "cache_read", per_million);
    info.cache_write_usd_per_token = get_price(*cost, "cache_write", per_million);
    if (info.cached_input_usd_per_token) info.min_cached_prefix_tokens = usual_min_cached_prefix;
  }
  return info;
}

std::string lower(std::string_view name) { return candidate_model_names(name).front(); }

bool has_object_members(const Json& json) {
  return json.is_object() &&
         std::any_of(json.begin(), json.end(), [](const Json& member) { return member.is_object(); });
}

CatalogFile read_own_file(const Json& json, const Json& models) {
  CatalogFile file;
  set_text(json, "as_of", file.as_of);
  for (const auto& [name, model] : models.members()) {
    if (model.is_object()) file.models.insert_or_assign(lower(name), read_own(name, model));
  }
  return file;
}

CatalogFile read_litellm_file(const Json& json) {
  CatalogFile file;
  for (const auto& [name, model] : json.members()) {
    const bool is_model = find_field(model, "litellm_provider") != nullptr || get_price(model, "input_cost_per_token");
    if (is_model && name != "sample_spec") file.models.insert_or_assign(lower(name), read_litellm(name, model));
  }
  return file;
}

/// The same model is listed by many resellers. Without a provider, its name means the one at its maker.
CatalogFile read_models_dev_file(const Json& json) {
  constexpr std::array<std::string_view, 10> makers{"openai",  "anthropic",  "google",  "xai",     "deepseek",
                                                    "mistral", "moonshotai", "alibaba", "zhipuai", "minimax"};
  CatalogFile file;
  for (const auto& [provider, entry] : json.members()) {
    const Json* models = find_field(entry, "models");
    if (models == nullptr || !models->is_object()) continue;
    const bool is_maker = std::find(makers.begin(), makers.end(), provider) != makers.end();
    for (const auto& [name, model] : models->members()) {
      if (!model.is_object()) continue;
      const ModelInfo info = read_models_dev(name, provider, model);
      file.models.insert_or_assign(lower(provider).append("/").append(lower(name)), info);
      if (is_maker) {
        file.models.insert_or_assign(lower(name), info);
      } else {
        file.models.emplace(lower(name), info);
      }
    }
  }
  return file;
}

bool is_models_dev(const Json& json) {
  return std::any_of(json.begin(), json.end(), [](const Json& provider) {
    const Json* models = find_field(provider, "models");
    return models != nullptr && models->is_object();
  });
}

}  // namespace

bool is_price(double usd) { return std::isfinite(usd) && usd >= 0; }

bool is_token_limit(std::int64_t tokens) { return tokens >= 0 && tokens <= 1'000'000'000; }

Result<CatalogFile> read_catalog_file(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return tl::unexpected(json.error());
  CatalogFile file;
  if (has_object_members(*json)) {
    const Json* models = find_field(*json, "models");
    if (models != nullptr && has_object_members(*models)) {
      file = read_own_file(*json, *models);
    } else {
      file = is_models_dev(*json) ? read_models_dev_file(*json) : read_litellm_file(*json);
    }
  }
  if (file.models.empty()) {
    return fail(ErrorCode::invalid_argument, "no models found: neither our catalogue, nor LiteLLM's, nor models.dev's");
  }
  return file;
}

}  // namespace ctxmgr
