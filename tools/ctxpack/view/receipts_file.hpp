#pragma once
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "view/run.hpp"

namespace ctxpack::view {

/// Receipts, as `build`, `simulate --requests` and the proxy write them: one JSON value or one on each line, an array, a
/// receipt itself or an object with one in `metadata` or `context_utilization`, `run` beside it; or an `error` instead. `invalid_argument`
/// for anything else.
[[nodiscard]] ctxmgr::Result<std::vector<Step>> read_receipts(std::string_view text,
                                                              const ctxmgr::ModelCatalog& catalog);

}  // namespace ctxpack::view
