#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr {

/// Names of the compiled-in catalogue that a misspelt name may have meant, the nearest first and three at most; none where
/// nothing is near. Reads the catalogue: for messages of errors, not for every build.
[[nodiscard]] std::vector<std::string> similar_models(std::string_view model);

}  // namespace ctxmgr
