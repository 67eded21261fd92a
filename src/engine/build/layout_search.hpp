#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/build/evidence.hpp"
#include "engine/build/layout_values.hpp"
#include "engine/selection/embedding_run.hpp"

/// What a layout selects for its block: from messages that it does not show whole, and from the artifacts.
namespace ctxmgr::engine {

/// What all searches of one build share. It saves time and embedder calls, and changes no result.
struct SearchReuse {
  std::optional<EmbeddingRun> embeddings{};  ///< It is set where there is an embedder and the build may ask it.
  MessageTexts texts{};
};

/// What was selected, counted from the first message of the ranges on; artifacts come behind them.
struct LayoutSearch {
  std::vector<MessageRange> ranges{};
  Selection selection{};
};

/// Whether the request leaves it to the library what goes into the block.
[[nodiscard]] bool selects(const LayoutInput& input);

/// Of a block of so many tokens, what is for texts of a selection and their headers.
[[nodiscard]] std::int64_t select_room(const LayoutInput& input, std::int64_t block_tokens);

/// What a block of the layout's size would hold; nullopt where nothing is selected, or there is no room worth it.
[[nodiscard]] std::optional<LayoutSearch> search_for(const LayoutInput& input, const Layout& layout,
                                                     SearchReuse& reuse);

/// The layout with what was found in its block.
[[nodiscard]] Layout with_found(const LayoutInput& input, Layout layout, std::optional<LayoutSearch> found);

/// The layout with each artifact whole in its block.
[[nodiscard]] Layout with_whole_artifacts(const LayoutInput& input, Layout layout);

}  // namespace ctxmgr::engine
