#pragma once
#include <cstdint>
#include <optional>
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

/// The layout with each artifact whole in its block.
[[nodiscard]] Layout with_whole_artifacts(const LayoutInput& input, Layout layout);

}  // namespace ctxmgr::engine
