// ai-sdk-cpp: `ai::Messages`. Its user messages may hold results of several tools, which are messages of their own here. With
// max_steps above 1 the SDK loops by itself and appends without asking: leave it at 1 and fit before each
// generate_text(). Include ai/types/message.h first.
#pragma once
#include "your_struct.hpp"

/// A part of a host's message that is a message of its own.
struct AiPiece {
  ai::MessageRole role = ai::kMessageRoleUser;
  ai::MessageContent content;
  bool joins = false;  ///< It came in the same message as the one before.
};

template <>
struct HostMessage<AiPiece> {
  static ctxmgr::ConversationMessage read(const AiPiece& piece) {
    using ctxmgr::Role;
    ctxmgr::ConversationMessage read{piece.role == ai::kMessageRoleSystem      ? Role::system
                                     : piece.role == ai::kMessageRoleAssistant ? Role::assistant
                                                                               : Role::user};
    std::string text;
    for (const auto& part : piece.content) {
      if (const auto* const words = std::get_if<ai::TextContentPart>(&part)) text += words->text;
      if (const auto* const call = std::get_if<ai::ToolCallContentPart>(&part))
        read.tool_calls.push_back({call->id, call->tool_name, call->arguments.dump(), {}});
      if (const auto* const result = std::get_if<ai::ToolResultContentPart>(&part)) {
        read.role = Role::tool;
        read.tool_call_id = result->tool_call_id;
        text += result->result.is_string() ? result->result.template get<std::string>() : result->result.dump();
      }
    }
    read.content = std::move(text);
    return read;
  }

  static void write(const ctxmgr::ConversationMessage& built, AiPiece& piece) {
    using ctxmgr::Role;
    bool failed = false;
    for (const auto& part : piece.content)
      if (const auto* const result = std::get_if<ai::ToolResultContentPart>(&part)) failed = result->is_error;
    piece.role = built.role == Role::assistant                          ? ai::kMessageRoleAssistant
                 : built.role == Role::user || built.role == Role::tool ? ai::kMessageRoleUser
                                                                        : ai::kMessageRoleSystem;
    piece.content.clear();
    const auto text = ctxmgr::text_of(built);
    if (built.role == Role::tool) {
      piece.content.emplace_back(ai::ToolResultContentPart(built.tool_call_id, ai::JsonValue(text), failed));
      return;
    }
    if (!text.empty() || built.tool_calls.empty()) piece.content.emplace_back(ai::TextContentPart(text));
    for (const auto& call : built.tool_calls) {
      auto arguments = ai::JsonValue::parse(call.arguments_json, nullptr, false);
      if (arguments.is_discarded()) arguments = call.arguments_json;
      piece.content.emplace_back(ai::ToolCallContentPart(call.id, call.name, std::move(arguments)));
    }
  }
};

inline ctxmgr::Result<ai::Messages> fit(const ctxmgr::ContextManager& manager, const ai::Messages& thread,
                                        ctxmgr::BuildRequest request, ctxmgr::ThreadState& state,
                                        ctxmgr::ContextUtilizationMetadata* receipt = nullptr) {
  std::vector<AiPiece> pieces;
  for (const auto& message : thread) {
    bool is_first = true;
    for (const auto& part : message.content) {
      const bool is_result = std::holds_alternative<ai::ToolResultContentPart>(part);
      if (is_first || is_result) pieces.push_back({message.role, {}, !is_first});
      pieces.back().content.push_back(part);
      is_first = false;
    }
  }
  auto fitted = fit<AiPiece>(manager, pieces, std::move(request), state, receipt);
  if (!fitted) return tl::unexpected(fitted.error());
  ai::Messages sent;
  for (auto& piece : *fitted) {
    if (piece.joins && !sent.empty() && sent.back().role == piece.role)
      sent.back().content.insert(sent.back().content.end(), piece.content.begin(), piece.content.end());
    else
      sent.emplace_back(piece.role, std::move(piece.content));
  }
  return sent;
}
