#include "engine/history/message_parts.hpp"

#include <utility>

#include "core/part_content.hpp"

namespace ctxmgr::engine {
namespace {

void add_kind(std::string& list, std::size_t count, const std::string& name) {
  if (count == 0) return;
  list += (list.empty() ? "" : ", ") + std::to_string(count) + ' ' + name + (count == 1 ? "" : "s");
}

}  // namespace

ConversationMessage with_text(const ConversationMessage& message, std::string text) {
  auto changed = message;
  auto* parts = std::get_if<std::vector<ContentPart>>(&changed.content);
  if (parts == nullptr) {
    changed.content = std::move(text);
    return changed;
  }
  std::vector<ContentPart> kept{{PartKind::text, std::move(text), {}}};
  for (auto& part : *parts) {
    if (part.kind != PartKind::text) kept.push_back(std::move(part));
  }
  if (kept.size() > 1) {
    changed.content = std::move(kept);
  } else {
    changed.content = std::move(kept.front().text);
  }
  return changed;
}

std::string parts_left_out(const ConversationMessage& message) {
  const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return {};
  std::size_t images = 0;
  std::size_t files = 0;
  std::size_t others = 0;
  for (const auto& part : *parts) {
    if (part.kind == PartKind::text) continue;
    const auto media = content_of(part).media;
    for (const auto kind : media) ++(kind == PartKind::image ? images : files);
    others += media.empty();
  }
  std::string list;
  add_kind(list, images, "image");
  add_kind(list, files, "file");
  add_kind(list, others, "other part");
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
