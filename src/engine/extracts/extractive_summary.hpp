#pragma once
#include <string_view>

#include "ctxmgr/engine/selection.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {

/// What each atom of an item is worth in a summary of it, 0 to 1, `focus_match` (0 to 1 each) included. Linear.
[[nodiscard]] std::vector<double> summary_scores(const ItemAnalysis& item, const std::vector<double>& focus_match);

/// What fits into `target_tokens` of an item: structured texts by `summarize_units`; of prose the atoms that report
/// errors, then by score for their length, each less for what it repeats, rendered by `render_atoms`.
[[nodiscard]] SelectedText summarize_item(std::string_view text, const ItemAnalysis& item,
                                          const std::vector<double>& focus_match, std::int64_t target_tokens,
                                          const TokenCounter& counter);

}  // namespace ctxmgr::engine
