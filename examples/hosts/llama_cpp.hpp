// llama.cpp: `common_chat_msg`, as its server, agent.cpp and programs of one's own hold a thread. Include chat.h first.
#pragma once
#include <nlohmann/json.hpp>  // llama.cpp has it in vendor/

#include "your_struct.hpp"

template <>
struct HostMessage<common_chat_msg> {
  static ctxmgr::ConversationMessage read(const common_chat_msg& message) {
    ctxmgr::ConversationMessage read{role_named(message.role), message.content};
    if (!message.content_parts.empty()) {  // Of media, there is a marker.
      std::vector<ctxmgr::ContentPart> parts;
      for (const auto& part : message.content_parts) parts.push_back({ctxmgr::PartKind::text, part.text, {}});
      read.content = std::move(parts);
    }
    for (const auto& call : message.tool_calls) read.tool_calls.push_back({call.id, call.name, call.arguments, {}});
    read.tool_call_id = message.tool_call_id;
    read.name = message.tool_name;
    if (!message.reasoning_content.empty())
      read.extra_json = nlohmann::ordered_json{{"reasoning_content", message.reasoning_content}}.dump();
    return read;
  }

  static void write(const ctxmgr::ConversationMessage& built, common_chat_msg& message) {
    message.role = ctxmgr::to_string(built.role);
    message.content = ctxmgr::text_of(built);
    message.content_parts.clear();
    message.tool_calls.clear();
    for (const auto& call : built.tool_calls) message.tool_calls.push_back({call.name, call.arguments_json, call.id});
    message.tool_call_id = built.tool_call_id;
    message.tool_name = built.name;
    if (built.extra_json.empty()) message.reasoning_content.clear();
  }
};
