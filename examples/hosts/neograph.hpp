// NeoGraph: `neograph::ChatMessage`. Fit the messages of a CompletionParams before Provider::complete(). Include
// neograph/types.h first.
#pragma once
#include "your_struct.hpp"

/// From 0.13 on, a message has the model's reasoning.
template <class Message>
auto reasoning_of(const Message& message, int) -> decltype(message.reasoning_details, std::string()) {
  neograph::json extra = neograph::json::object();
  if (!message.reasoning_details.empty())
    extra["reasoning_details"] = message.reasoning_details;
  else if (!message.reasoning.empty())
    extra["reasoning_content"] = message.reasoning;
  return extra.empty() ? std::string() : extra.dump();
}
template <class Message>
std::string reasoning_of(const Message&, long) {
  return {};
}
template <class Message>
auto clear_reasoning(Message& message, int) -> decltype(message.reasoning_details, void()) {
  message.reasoning.clear();
  message.reasoning_details = neograph::json::array();
}
template <class Message>
void clear_reasoning(Message&, long) {}

template <>
struct HostMessage<neograph::ChatMessage> {
  static ctxmgr::ConversationMessage read(const neograph::ChatMessage& message) {
    ctxmgr::ConversationMessage read{role_named(message.role), message.content};
    if (!message.image_urls.empty()) {
      std::vector<ctxmgr::ContentPart> parts{{ctxmgr::PartKind::text, message.content, {}}};
      for (const auto& url : message.image_urls) {
        const neograph::json image = {{"type", "image_url"}, {"image_url", {{"url", url}}}};
        parts.push_back({ctxmgr::PartKind::image, {}, image.dump()});
      }
      read.content = std::move(parts);
    }
    for (const auto& call : message.tool_calls) read.tool_calls.push_back({call.id, call.name, call.arguments, {}});
    read.tool_call_id = message.tool_call_id;
    read.extra_json = reasoning_of(message, 0);
    return read;
  }

  // Status and reasoning of a known message stay; images go where the build took them out.
  static void write(const ctxmgr::ConversationMessage& built, neograph::ChatMessage& message) {
    message.role = ctxmgr::to_string(built.role);
    message.content = ctxmgr::text_of(built);
    message.tool_calls.clear();
    for (const auto& call : built.tool_calls) message.tool_calls.push_back({call.id, call.name, call.arguments_json});
    message.tool_call_id = built.tool_call_id;
    const auto* const parts = std::get_if<std::vector<ctxmgr::ContentPart>>(&built.content);
    if (parts == nullptr || parts->size() != message.image_urls.size() + 1) message.image_urls.clear();
    if (built.extra_json.empty()) clear_reasoning(message, 0);
  }
};
