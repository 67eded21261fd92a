#pragma once
#include <string>

#include "ctxmgr/core/model_catalog.hpp"
#include "view/run.hpp"

namespace ctxpack::view {

/// Tokens of a request's input, and those of them that came from a cache: as the service counted them; where it did not, as a
/// cache would that keeps what the request before began with.
struct Cached {
  std::int64_t tokens = 0;
  std::int64_t of = 0;
};
[[nodiscard]] Cached cached_of(const Step& step, const ctxmgr::ModelInfo& model);

/// What the input costs: as the service counted it, else as a cache that keeps the prefix would; and what everything would
/// have cost with such a cache, which has all that was sent in the request before. Null: there was none.
void price(Step& step, const Step* before, const ctxmgr::ModelCatalog& catalog);

/// What those calls cost at the prices of the model that made the summaries.
[[nodiscard]] Summaries priced(const std::string& model, const ctxmgr::UsageMetadata& usage,
                               const ctxmgr::ModelCatalog& catalog);

/// Adds up. Of a sum the price is known where that of all its parts is.
void add(Summaries& sum, const Summaries& more);

}  // namespace ctxpack::view
