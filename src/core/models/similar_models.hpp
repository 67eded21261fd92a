#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/model_catalog_file.hpp"

namespace ctxmgr {

/// Names of the catalogue that a misspelt name may have meant, the nearest first and three at most; none where nothing is near.
[[nodiscard]] std::vector<std::string> similar_models(std::string_view model, const CatalogFile& catalogue);

}  // namespace ctxmgr
