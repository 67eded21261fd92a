#pragma once
#include <cstddef>
#include <string_view>

namespace ctxmgr {

/// Letters to insert, drop, replace or swap with their neighbour until one is the other (Damerau and Levenshtein).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace ctxmgr
