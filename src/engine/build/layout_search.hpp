#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/build/evidence.hpp"
#include "engine/build/layout_values.hpp"

/// What a layout selects for its block: from messages that it does not show whole, and from the artifacts.
namespace ctxmgr::engine {

/// What was selected, counted from the first message of the ranges on; artifacts come behind them.
struct LayoutSearch {
  std::vector<MessageRange> ranges{};
  Selection selection{};
};

/// Whether the request leaves it to the library what goes into the block.
[[nodiscard]] bool selects(const LayoutInput& input);

/// Of a block of so many tokens, what is for texts of a selection and their headers.
[[nodiscard]] std::int64_t select_room(const LayoutInput& input, std::int64_t block_tokens);

/// What a block of the layout's size would hold; nullopt where nothing is selected, or there is no room worth it. `texts`: what
/// searches of one build have read already.
[[nodiscard]] std::optional<LayoutSearch> search_for(const LayoutInput& input, const Layout& layout,
                                                     MessageTexts& texts);

/// The layout with what was found in its block.
[[nodiscard]] Layout with_found(const LayoutInput& input, Layout layout, std::optional<LayoutSearch> found);

/// What a plan leaves to the allocation of one item.
struct ItemTerms {
  bool is_open = false;     ///< Passages of it take part.
  bool has_header = false;  ///< It is shown already, and its passages come beneath.
  double weight = 1;        ///< What they are worth beside those of other items.
  std::string query{};      ///< What is looked for in it; empty: what all is searched for.
};

/// Passages in so many tokens as `items` and `older` of the layout: one allocation over all that is open. `terms`: one for
/// each item, and one for the messages before the cut behind them, where plans speak of those.
[[nodiscard]] Layout search_by(const LayoutInput& input, Layout layout, const std::vector<ItemTerms>& terms,
                               std::int64_t tokens);

/// The layout with each artifact whole in its block.
[[nodiscard]] Layout with_whole_artifacts(const LayoutInput& input, Layout layout);

}  // namespace ctxmgr::engine
