#pragma once
#include <cstddef>
#include <string>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// The message with another text in the place of its own. Its other parts (images, files, blocks of a provider) stay, but
/// for the first `media_gone` images and files.
[[nodiscard]] ConversationMessage with_text(const ConversationMessage& message, std::string text,
                                            std::size_t media_gone = 0);

/// The message without those of its other parts whose words `all_text_of()` has.
[[nodiscard]] ConversationMessage without_words(const ConversationMessage& message);

/// How many images and files it has.
[[nodiscard]] std::size_t media_count(const ConversationMessage& message);

/// A line that names the first `count` of them; empty for none.
[[nodiscard]] std::string media_left_out(const ConversationMessage& message, std::size_t count);

/// The message with a text in the place of each of its first `count` images and files: "[left out: image a.png]".
[[nodiscard]] ConversationMessage without_media(const ConversationMessage& message, std::size_t count);

/// A line that names the parts of a message that are no plain text: "[left out: image a.png; file b.pdf, 3 pages]". Empty
/// where it has none.
[[nodiscard]] std::string parts_left_out(const ConversationMessage& message);

/// The message with another text alone, and with a line that names the parts that went.
[[nodiscard]] ConversationMessage with_text_alone(const ConversationMessage& message, std::string text);

}  // namespace ctxmgr::engine
