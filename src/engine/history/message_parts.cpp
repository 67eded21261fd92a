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
  if (!media.empty()) return describe(media.front());
  const auto words = words_in_part(medium);
  return words ? words->name : std::string("part");
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

ConversationMessage without_words(const ConversationMessage& message) {
  auto changed = message;
  if (auto* const parts = std::get_if<std::vector<ContentPart>>(&changed.content))
    parts->erase(std::remove_if(parts->begin(), parts->end(),
                                [](const ContentPart& part) { return words_in_part(part).has_value(); }),
                 parts->end());
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
    std::vector<std::string> names;
    for (const auto& medium : content_of(part).media) names.push_back(describe(medium));
    if (const auto words = names.empty() ? words_in_part(part) : std::nullopt) names.push_back(words->name);
    others += names.empty();
    for (const auto& name : names) {
      if (++named <= most_named) list += (list.empty() ? "" : "; ") + name;
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
