#include "engine/history/message_parts.hpp"

#include <algorithm>
#include <utility>

#include "media/part_content.hpp"

namespace ctxmgr::engine {
namespace {

/// More are only counted.
constexpr std::size_t most_named = 8;

bool is_medium(const ContentPart& part) { return part.kind == PartKind::image || part.kind == PartKind::file; }

std::string medium_in_words(const ContentPart& medium) {
  const auto media = content_of(medium).media;
  return media.empty() ? std::string("part") : describe(media.front());
}

}  // namespace

std::size_t media_count(const ConversationMessage& message) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  return parts == nullptr ? 0 : static_cast<std::size_t>(std::count_if(parts->begin(), parts->end(), is_medium));
}

std::string media_left_out(const ConversationMessage& message, std::size_t count) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr || count == 0) return {};
  std::string names;
  for (const auto& part : *parts) {
    if (is_medium(part) && count-- > 0) names += (names.empty() ? "" : "; ") + medium_in_words(part);
    if (count == 0) break;
  }
  return "\n[left out: " + names + "]";
}

ConversationMessage with_text(const ConversationMessage& message, std::string text, std::size_t media_gone) {
  auto changed = message;
  auto* parts = std::get_if<std::vector<ContentPart>>(&changed.content);
  if (parts == nullptr) {
    changed.content = std::move(text);
    return changed;
  }
  std::vector<ContentPart> kept{{PartKind::text, std::move(text), {}}};
  for (auto& part : *parts) {
    if (part.kind == PartKind::text) continue;
    const bool is_gone = is_medium(part) && media_gone > 0;
    media_gone -= is_gone ? 1 : 0;
    if (!is_gone) kept.push_back(std::move(part));
  }
  if (kept.size() > 1) {
    changed.content = std::move(kept);
  } else {
    changed.content = std::move(kept.front().text);
  }
  return changed;
}

ConversationMessage without_media(const ConversationMessage& message, std::size_t count) {
  auto changed = message;
  auto* const parts = std::get_if<std::vector<ContentPart>>(&changed.content);
  if (parts == nullptr) return changed;
  for (auto& part : *parts) {
    if (!is_medium(part)) continue;
    if (count-- == 0) break;
    part = {PartKind::text, "[left out: " + medium_in_words(part) + "]", {}};
  }
  return changed;
}

std::string parts_left_out(const ConversationMessage& message) {
  const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return {};
  std::string list;
  std::size_t named = 0;
  std::size_t others = 0;
  for (const auto& part : *parts) {
    if (part.kind == PartKind::text) continue;
    const auto media = content_of(part).media;
    others += media.empty();
    for (const auto& medium : media) {
      if (++named <= most_named) list += (list.empty() ? "" : "; ") + describe(medium);
    }
  }
  if (named > most_named) others += named - most_named;
  if (others > 0)
    list += (list.empty() ? "" : "; ") + std::to_string(others) + (others == 1 ? " other part" : " other parts");
  return list.empty() ? list : "[left out: " + list + "]";
}

ConversationMessage with_text_alone(const ConversationMessage& message, std::string text) {
  auto changed = message;
  const auto gone = parts_left_out(message);
  if (!gone.empty()) text += (text.empty() || text.back() == '\n' ? "" : "\n") + gone;
  changed.content = std::move(text);
  return changed;
}

}  // namespace ctxmgr::engine
