#pragma once
#include "ctxmgr/core/model_catalog.hpp"
#include "view/run.hpp"

namespace ctxpack::view {

/// What the input costs: as the service counted it, else as a cache that keeps the prefix would; and what everything would
/// have cost with such a cache, which has all that was sent in the request before. Null: there was none.
void price(Step& step, const Step* before, const ctxmgr::ModelCatalog& catalog);

}  // namespace ctxpack::view
