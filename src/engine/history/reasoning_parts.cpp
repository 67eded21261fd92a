#include "engine/history/reasoning_parts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/json/part_forms.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::array<std::string_view, 3> reasoning_fields = {"reasoning_content", "reasoning", "reasoning_details"};

bool is_reasoning(const ContentPart& part) {
  if (part.kind != PartKind::other) return false;
  if (part.json.find("thinking") == std::string::npos && part.json.find("reasoning") == std::string::npos) return false;
  const auto json = parse_json(part.json);
  if (!json) return false;
  const auto type = forms::type_of(*json);
  return type == "thinking" || type == "redacted_thinking" || type == "reasoning";
}

/// By the id of what it made after its reasoning, OpenAI's Responses ask for that reasoning.
void erase_item_id(std::string& item_json) {
  if (item_json.find("_call\"") == std::string::npos) return;
  auto item = parse_json(item_json);
  if (!item || find_field(*item, "id") == nullptr) return;
  const auto type = forms::type_of(*item);
  if (!forms::ends_with(type, "_call") || type == forms::call_type) return;
  item->erase("id");
  item_json = dump_json(*item);
}

/// Whether fields of the message itself held reasoning; they are gone then.
bool erase_fields(std::string& extra_json) {
  if (extra_json.find("reasoning") == std::string::npos) return false;
  auto extra = parse_json(extra_json);
  if (!extra || !extra->is_object()) return false;
  const auto before = extra->size();
  for (const auto field : reasoning_fields) extra->erase(std::string(field));
  if (extra->size() == before) return false;
  extra_json = extra->empty() ? std::string() : dump_json(*extra);
  return true;
}

}  // namespace

std::optional<ConversationMessage> without_reasoning(const ConversationMessage& message) {
  if (message.role != Role::assistant) return std::nullopt;
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  const bool has_part = parts != nullptr && std::any_of(parts->begin(), parts->end(), is_reasoning);
  if (!has_part && message.extra_json.find("reasoning") == std::string::npos) return std::nullopt;
  auto shorter = message;
  const bool had_field = erase_fields(shorter.extra_json);
  if (!has_part && !had_field) return std::nullopt;
  if (has_part) {
    auto& left = std::get<std::vector<ContentPart>>(shorter.content);
    left.erase(std::remove_if(left.begin(), left.end(), is_reasoning), left.end());
    const bool says_nothing = left.empty() && shorter.tool_calls.empty();
    if (says_nothing) return std::nullopt;
    for (auto& part : left)
      if (part.kind == PartKind::other) erase_item_id(part.json);
    for (auto& call : shorter.tool_calls) erase_item_id(call.extra_json);
    if (left.empty()) shorter.content = std::monostate();
  }
  return shorter;
}

}  // namespace ctxmgr::engine
