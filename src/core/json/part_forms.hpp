#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// What the forms of several services have in common. Inline, so that components can use it, too.
namespace ctxmgr::forms {

[[nodiscard]] inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

[[nodiscard]] inline std::string type_of(const Json& part) {
  const std::string* const type = get_string(part, "type");
  return type == nullptr ? std::string() : *type;
}

inline constexpr std::string_view call_type = "ctxmgr_call";

/// A part that says: here the model made the call of this id. No service has it.
[[nodiscard]] inline ContentPart call_part(const std::string& id) {
  return {PartKind::other, {}, dump_json({{"type", call_type}, {"id", id}})};
}

/// The id in such a part; nothing for any other.
[[nodiscard]] inline std::optional<std::string> called_id(const ContentPart& part) {
  if (part.kind != PartKind::other || part.json.find(call_type) == std::string::npos) return std::nullopt;
  const auto json = parse_json(part.json);
  const std::string* const id = json && type_of(*json) == call_type ? get_string(*json, "id") : nullptr;
  return id == nullptr ? std::nullopt : std::optional(*id);
}

/// Calls that stand after all else need no word of where they stand.
inline void drop_last_calls(std::vector<ContentPart>& parts) {
  while (!parts.empty() && called_id(parts.back())) parts.pop_back();
}

/// Whether only Anthropic takes the part back: its thoughts, its own tools' calls and results.
[[nodiscard]] inline bool is_of_anthropic(const Json& part) {
  const auto type = type_of(part);
  if (type == "thinking") return get_string(part, "thinking") != nullptr;  // Mistral's are lists.
  return type == "redacted_thinking" || ends_with(type, "_tool_use") || ends_with(type, "_tool_result") ||
         (type == "compaction" && find_field(part, "content") != nullptr);
}

/// Whether only OpenAI's Responses take the part back, as an item.
[[nodiscard]] inline bool is_of_responses(const Json& part) {
  const auto type = type_of(part);
  return type == "reasoning" || type == "item_reference" || ends_with(type, "_call") ||
         ends_with(type, "_call_output") || type == "tool_search_output" || type == "program" ||
         type == "program_output" || type == "additional_tools" || type == "mcp_list_tools" ||
         (type == "compaction" && find_field(part, "content") == nullptr);
}

/// Whether the message holds what a service made of everything before it: OpenAI's sealed item, Anthropic's block.
[[nodiscard]] inline bool is_service_compaction(const ConversationMessage& message) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return false;
  for (const ContentPart& part : *parts) {
    if (part.kind != PartKind::other || part.json.find("compaction") == std::string::npos) continue;
    const auto json = parse_json(part.json);
    if (json && type_of(*json) == "compaction") return true;
  }
  return false;
}

/// The part of a result that stands for all of it: its service takes no other text in its place. Null for any other.
[[nodiscard]] inline const ContentPart* whole_result(const ConversationMessage& message) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (message.role != Role::tool || parts == nullptr || parts->size() != 1) return nullptr;
  const ContentPart& part = parts->front();
  if (part.kind != PartKind::other || part.json.find("_output") == std::string::npos) return nullptr;
  const auto json = parse_json(part.json);
  return json && ends_with(type_of(*json), "_output") ? &part : nullptr;
}

/// Where an image part of OpenAI's points: "https://…" or "data:…"; empty where it is another kind of part.
[[nodiscard]] inline std::string image_url(const Json& part) {
  const Json* const image = find_field(part, "image_url");
  const std::string* const url =
      image != nullptr && image->is_object() ? get_string(*image, "url") : get_string(part, "image_url");
  return url == nullptr ? std::string() : *url;
}

/// Where the source of an image or document of Anthropic's points: "https://…" or "data:…".
[[nodiscard]] inline std::string source_url(const Json& source) {
  const std::string* const data = get_string(source, "data");
  const std::string* const media_type = get_string(source, "media_type");
  if (data != nullptr && media_type != nullptr) return "data:" + *media_type + ";base64," + *data;
  const std::string* const url = get_string(source, "url");
  return url == nullptr ? std::string() : *url;
}

}  // namespace ctxmgr::forms
