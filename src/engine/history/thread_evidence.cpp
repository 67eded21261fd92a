#include "engine/history/thread_evidence.hpp"

#include <utility>

#include "engine/history/message_parts.hpp"

namespace ctxmgr::engine {
std::size_t ranges_of(const std::vector<ThreadEvidence>& evidence) {
  std::size_t count = 0;
  for (const auto& block : evidence)
    for (const auto& piece : block.pieces) count += piece.ranges.size();
  return count;
}

std::optional<std::vector<SelectedText>> texts_of(const ThreadEvidence& evidence,
                                                  const std::vector<ConversationMessage>& history) {
  std::vector<SelectedText> texts;
  for (const auto& piece : evidence.pieces) {
    if (piece.message >= history.size()) return std::nullopt;
    auto text = quoted(history[piece.message], piece.ranges);
    if (!text) return std::nullopt;
    texts.push_back({});
    texts.back().index = piece.message;
    texts.back().view = ArtifactView::extract;
    texts.back().spans = piece.ranges;
    texts.back().text = std::move(*text);
  }
  return texts;
}

}  // namespace ctxmgr::engine
