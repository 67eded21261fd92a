#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

std::string text_of(const ConversationMessage& message) {
  if (const auto* text = std::get_if<std::string>(&message.content)) return *text;
  std::string out;
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content)) {
    bool is_first = true;
    for (const ContentPart& part : *parts) {
      if (part.kind != PartKind::text) continue;
      if (!is_first) out += '\n';
      out += part.text;
      is_first = false;
    }
  }
  return out;
}

}  // namespace ctxmgr
