#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// The command that a message of the assistant gives where tools have no protocol of their own: the block of code that ends it,
/// without a language or with a shell's. Empty where there is none.
[[nodiscard]] std::string text_command_of(const ConversationMessage& message);

/// The command whose output a user message is: that of the assistant's message right before it. Empty where there is none.
[[nodiscard]] std::string text_command_answered_by(const std::vector<ConversationMessage>& messages,
                                                   std::size_t message);

}  // namespace ctxmgr::engine
