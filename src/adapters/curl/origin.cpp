#include "adapters/curl/origin.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/curl/wire_common.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"

namespace ctxmgr::wire {
namespace {

bool has_fields_of_its_service(const ConversationMessage& message) {
  if (!message.extra_json.empty()) return true;
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  const bool in_parts = parts != nullptr && std::any_of(parts->begin(), parts->end(), [](const ContentPart& part) {
                          return !part.json.empty() && !forms::called_id(part);
                        });
  return in_parts || std::any_of(message.tool_calls.begin(), message.tool_calls.end(),
                                 [](const ToolCall& call) { return !call.extra_json.empty(); });
}

bool is_foreign(const ConversationMessage& message, const std::string& host) {
  if (message.extra_json.find(origin_key) == std::string::npos) return false;
  const auto extra = parse_object(message.extra_json, "extra_json");
  const auto* const origin = extra ? get_string(*extra, origin_key) : nullptr;
  return origin != nullptr && *origin != host;
}

void strip(ConversationMessage& message) {
  message.extra_json.clear();
  for (auto& call : message.tool_calls) call.extra_json.clear();
  auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return;
  std::erase_if(*parts,
                [](const ContentPart& part) { return part.kind == PartKind::other && !forms::called_id(part); });
  for (auto& part : *parts) {
    if (part.kind == PartKind::text) part.json.clear();
  }
}

}  // namespace

void set_origin(ConversationMessage& message, const std::string& host) {
  if (!has_fields_of_its_service(message)) return;
  auto extra = parse_object(message.extra_json, "extra_json");
  if (!extra) return;
  (*extra)[std::string(origin_key)] = host;
  message.extra_json = dump_json(*extra);
}

std::optional<LlmRequest> without_foreign_fields(const LlmRequest& request, const std::string& host) {
  const auto foreign = [&](const ConversationMessage& message) { return is_foreign(message, host); };
  if (std::none_of(request.messages.begin(), request.messages.end(), foreign)) return std::nullopt;
  auto own = request;
  for (auto& message : own.messages) {
    if (foreign(message)) strip(message);
  }
  return own;
}

std::optional<LlmRequest> fitted_request(const LlmRequest& request, const std::string& host,
                                         const MessageShape& shape) {
  auto own = without_foreign_fields(request, host);
  if (!shape.demands_anything()) return own;
  if (!own) own = request;
  own->messages = shape_messages(std::move(own->messages), shape);
  return own;
}

}  // namespace ctxmgr::wire
