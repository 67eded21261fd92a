#pragma once
#include "engine/selection_weights.hpp"
#include "engine/text_index.hpp"
namespace ctxmgr::engine {
[[nodiscard]] Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request,
                               const TokenCounter& counter, const SelectionWeights& weights);
}
