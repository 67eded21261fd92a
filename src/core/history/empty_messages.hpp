#pragma once
#include <optional>

#include "core/history/history_demands.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// Whether a service that refuses such says that the message is empty. Never of a result, or of a message with a call.
[[nodiscard]] bool is_empty(const ConversationMessage& message, EmptyMessages demand);

/// A message without its blank text parts. A breakpoint of the cache that stood at one of them stands at the message.
struct WithoutBlanks {
  ConversationMessage message{};
  bool has_breakpoint = false;  ///< One of them had a breakpoint.
};

/// Nothing where it has none, or where the service takes them. A result of nothing else is an empty string.
[[nodiscard]] std::optional<WithoutBlanks> without_blanks(const ConversationMessage& message, EmptyMessages demand);

/// Puts a breakpoint of the cache at the message.
void put_breakpoint(ConversationMessage& message);

}  // namespace ctxmgr
