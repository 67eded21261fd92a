#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/model_info.hpp"

namespace ctxmgr {

struct CatalogFile {
  std::string as_of;
  std::map<std::string, ModelInfo, std::less<>> models;  ///< What is known of each model, by its name in lower case.
};

/// Reads a catalogue in one of three forms: `data/models.json`, LiteLLM's model_prices_and_context_window.json, the
/// api.json of models.dev. Fields with absurd values are taken as unknown; `invalid_argument` where there is no model.
[[nodiscard]] Result<CatalogFile> read_catalog_file(std::string_view json);

/// Whether this can be a price: a finite number that is not negative.
[[nodiscard]] bool is_price(double usd);

/// Whether a window or a limit can have so many tokens.
[[nodiscard]] bool is_token_limit(std::int64_t tokens);

}  // namespace ctxmgr
