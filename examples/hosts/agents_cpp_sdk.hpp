// agents-cpp-sdk: `agents::Message`. Fit what Memory::getMessages() gives, before LLMInterface::chat(). Include
// agents-cpp/types.h first.
#pragma once
#include "your_struct.hpp"

template <>
struct HostMessage<agents::Message> {
  static ctxmgr::ConversationMessage read(const agents::Message& message) {
    using From = agents::Message::Role;
    using ctxmgr::Role;
    ctxmgr::ConversationMessage read{Role::user, message.content};
    if (message.role == From::SYSTEM) read.role = Role::system;
    if (message.role == From::ASSISTANT) read.role = Role::assistant;
    if (message.role == From::TOOL) read.role = Role::tool;
    for (const auto& call : message.tool_calls)
      read.tool_calls.push_back({call.id, call.name, call.arguments.dump(), {}});
    read.tool_call_id = message.tool_call_id.value_or("");
    read.name = message.name.value_or("");
    return read;
  }

  // Calls are the host's: a build leaves them out or as they are, but for arguments that it shortens.
  static void write(const ctxmgr::ConversationMessage& built, agents::Message& message) {
    using To = agents::Message::Role;
    using ctxmgr::Role;
    message.role = built.role == Role::assistant ? To::ASSISTANT
                   : built.role == Role::tool    ? To::TOOL
                   : built.role == Role::user    ? To::USER
                                                 : To::SYSTEM;
    message.content = ctxmgr::text_of(built);
    message.tool_calls.resize(built.tool_calls.size());
    for (std::size_t i = 0; i < built.tool_calls.size(); ++i) {
      const auto& call = built.tool_calls[i];
      message.tool_calls[i].id = call.id;
      message.tool_calls[i].name = call.name;
      const auto arguments = agents::JsonObject::parse(call.arguments_json, nullptr, false);
      message.tool_calls[i].arguments = arguments.is_discarded() ? agents::JsonObject(call.arguments_json) : arguments;
    }
    if (!built.tool_call_id.empty()) message.tool_call_id = built.tool_call_id;
  }
};
