#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"
#include "engine/extracts/reduction.hpp"
#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {

/// Units of a structured text that fit into `target_tokens`: by rank, then by score for their length. What is left out
/// is said where it stood: "[… 297 lines]", "[… 297 more like these]", and behind the sample of a template "[×600]" or,
/// where its lines are not all equal, "[×600 alike]". Those notes are ours; everything else is copied from the source and
/// has its span. `atom_scores` are of each atom of the item.
[[nodiscard]] RenderedText summarize_units(std::string_view text, const ItemAnalysis& item, const Reduction& reduction,
                                           const std::vector<double>& atom_scores, std::int64_t target_tokens,
                                           const TokenCounter& counter);

}  // namespace ctxmgr::engine
