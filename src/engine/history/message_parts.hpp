#pragma once
#include <string>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// The message with another text in the place of its own. Its other parts (images, files, blocks of a provider) stay.
[[nodiscard]] ConversationMessage with_text(const ConversationMessage& message, std::string text);

/// A line that names the parts of a message that are no text: "[left out: 2 images, 1 file]". Empty where it has none.
[[nodiscard]] std::string parts_left_out(const ConversationMessage& message);

/// The message with another text alone, and with a line that names the parts that went.
[[nodiscard]] ConversationMessage with_text_alone(const ConversationMessage& message, std::string text);

}  // namespace ctxmgr::engine
