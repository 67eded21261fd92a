#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// The command that a message of the assistant gives where tools have no protocol of their own: the block of code that ends it,
/// without a language or with a shell's. Empty where there is none.
[[nodiscard]] std::string text_command_of(const ConversationMessage& message);

/// Whether a message of the assistant ends as agents without a tool protocol call a tool: in a block of code that programs run, in
/// "search[red shoes]" or "click(3)", in a closing tag, or it is a JSON object or a line of a shell as a whole.
[[nodiscard]] bool ends_in_command(const ConversationMessage& message);

/// The command whose output a user message is: that of the assistant's message right before it. Empty where there is none.
[[nodiscard]] std::string text_command_answered_by(const std::vector<ConversationMessage>& messages,
                                                   std::size_t message);

}  // namespace ctxmgr::engine
