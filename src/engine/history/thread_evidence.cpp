#include "engine/history/thread_evidence.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/utf8.hpp"
#include "engine/structure/omission.hpp"

namespace ctxmgr::engine {
namespace {

bool is_boundary(std::string_view text, std::size_t at) { return utf8::floor_boundary(text, at) == at; }

/// Whether the range is in the text behind `end`.
bool fits(const TextSpan& range, std::string_view text, std::size_t end) {
  return range.offset >= end && range.offset <= text.size() && range.length <= text.size() - range.offset &&
         is_boundary(text, range.offset) && is_boundary(text, range.offset + range.length);
}

std::optional<std::string> text_of_piece(const EvidencePiece& piece, std::string_view text, std::size_t label) {
  std::string out(text.substr(0, label));
  std::size_t end = label;
  bool first = true;
  for (auto range : piece.ranges) {
    if (range.offset + range.length <= label) continue;
    if (range.offset < label) range = {label, range.offset + range.length - label};
    if (!fits(range, text, end)) return std::nullopt;
    const auto gap = text.substr(end, range.offset - end);
    const bool is_blank = gap.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (is_blank && !first) {
      out += gap;
    } else if (!is_blank) {
      const char blank = gap.find('\n') != std::string_view::npos ? '\n' : ' ';
      if (!first) out += blank;
      out.append(omission).append(1, first ? ' ' : blank);
    }
    out += text.substr(range.offset, range.length);
    end = range.offset + range.length;
    first = false;
  }
  if (text.substr(end).find_first_not_of(" \t\r\n") != std::string_view::npos) out.append(" ").append(omission);
  return out;
}

}  // namespace

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
    const auto source = render_message(history[piece.message]);
    const auto label = std::min(source.size(), label_bytes(history[piece.message]));
    auto text = text_of_piece(piece, source, label);
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
