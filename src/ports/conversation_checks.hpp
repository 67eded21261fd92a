#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/instruction_role.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ports/deadline.hpp"

/// \file
/// The argument checks that every ConversationStore makes, so that all of them refuse the same things in the same words.
/// Inline: adapters are libraries of their own and cannot link against hidden symbols.
namespace ctxmgr::conversation {

inline constexpr std::size_t max_thread_state_bytes = std::size_t{64} << 10;

[[nodiscard]] inline Result<void> check_id(std::string_view conversation_id) {
  if (conversation_id.empty()) return fail(ErrorCode::invalid_argument, "empty conversation id");
  if (conversation_id.size() > max_conversation_id_bytes) {
    return fail(ErrorCode::limit_exceeded, "conversation id over 512 bytes");
  }
  return {};
}

/// Every call on one conversation begins with this.
[[nodiscard]] inline Result<void> check(std::string_view conversation_id, const CallOptions& call) {
  if (auto wanted = check_wanted(call); !wanted) return wanted;
  return check_id(conversation_id);
}

/// Calls `visit` with every text of a message.
template <class Message, class Visit>
void for_each_text(Message& message, Visit visit) {
  if (auto* text = std::get_if<std::string>(&message.content)) visit(*text);
  if (auto* parts = std::get_if<std::vector<ContentPart>>(&message.content)) {
    for (auto& part : *parts) visit(part.text), visit(part.json);
  }
  for (auto& call : message.tool_calls) {
    visit(call.id), visit(call.name), visit(call.arguments_json), visit(call.extra_json);
  }
  visit(message.tool_call_id), visit(message.name), visit(message.agent), visit(message.extra_json);
  for (auto& step : message.reasoning_steps) {
    visit(step.thought);
    for (auto& prediction : step.tool_predictions) {
      visit(prediction.tool_name), visit(prediction.arguments_json), visit(prediction.reasoning);
    }
    for (auto& result : step.tool_results) visit(result.tool_name), visit(result.result), visit(result.error);
  }
}

[[nodiscard]] inline std::size_t text_bytes(const ConversationMessage& message) {
  std::size_t bytes = 0;
  for_each_text(message, [&bytes](const std::string& text) { bytes += text.size(); });
  return bytes;
}

[[nodiscard]] inline Result<void> check_append(const std::vector<ConversationMessage>& messages,
                                               const AppendOptions& options) {
  if (messages.empty()) return fail(ErrorCode::invalid_argument, "no messages to append");
  if (options.idempotency_key.size() > max_idempotency_key_bytes) {
    return fail(ErrorCode::limit_exceeded, "idempotency key over 512 bytes");
  }
  for (const auto& message : messages) {
    if (text_bytes(message) > max_message_bytes) return fail(ErrorCode::limit_exceeded, "message over 16 MiB");
  }
  return {};
}

/// What an append may do to a conversation that stands where `info` says.
[[nodiscard]] inline Result<void> check_may_append(const ConversationInfo& info, const AppendOptions& options) {
  if (info.status == ConversationStatus::archived) return fail(ErrorCode::denied, "the conversation is archived");
  if (options.expected_last_sequence && *options.expected_last_sequence != info.last_sequence) {
    return fail(ErrorCode::conflict, "somebody has appended since");
  }
  return {};
}

[[nodiscard]] inline Result<void> check_may_record(const ConversationInfo& info, const SentContext& sent) {
  if (info.status == ConversationStatus::archived) return fail(ErrorCode::denied, "the conversation is archived");
  if (sent.thread_state.size() > max_thread_state_bytes) {
    return fail(ErrorCode::limit_exceeded, "thread state over 64 KiB");
  }
  for (const auto& message : sent.messages) {
    if (message.sequence_number < 0 || message.sequence_number > info.last_sequence) {
      return fail(ErrorCode::invalid_argument, "a sent message names a row that is not there");
    }
    if (message.message_json.size() > 8 * max_message_bytes)
      return fail(ErrorCode::limit_exceeded, "sent text too long");
  }
  return {};
}

/// Rows that a view always needs, however old they are.
[[nodiscard]] inline bool is_fixed(const ConversationMessage& message) {
  return is_instruction(message) || message.retention == Retention::pinned || message.summary_of.has_value();
}

[[nodiscard]] inline Timestamp to_milliseconds(Timestamp time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

}  // namespace ctxmgr::conversation
