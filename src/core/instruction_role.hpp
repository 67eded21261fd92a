#pragma once
#include <algorithm>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// Whether the host speaks to the model: a system message, or what newer services call a developer message.
[[nodiscard]] constexpr bool is_instruction(Role role) { return role == Role::system || role == Role::developer; }
[[nodiscard]] inline bool is_instruction(const ConversationMessage& message) { return is_instruction(message.role); }

/// Whether there is nothing else, so that a model has nothing to answer.
[[nodiscard]] inline bool are_only_instructions(const std::vector<ConversationMessage>& messages) {
  return std::all_of(messages.begin(), messages.end(),
                     [](const ConversationMessage& message) { return is_instruction(message); });
}

}  // namespace ctxmgr
