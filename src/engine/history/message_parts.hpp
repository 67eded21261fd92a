#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "engine/structure/text_structure.hpp"

/// The one place that says what the text of a message is, for the index, evidence, extracts, notes and the archive; and
/// messages with another text.
namespace ctxmgr::engine {

/// A message as one text: "role: content", then other parts and what calls write, each under a line that names it, and a
/// line for each call.
struct MessageText {
  std::string text{};
  std::vector<TextSection> sections{};
};

[[nodiscard]] MessageText read_message(const ConversationMessage& message);

/// The same without sections: how it is indexed and shown in excerpts.
[[nodiscard]] std::string render_message(const ConversationMessage& message);

/// "role: content" and its calls as they are, without other parts: what a turn hints at.
[[nodiscard]] std::string render_spoken(const ConversationMessage& message);

/// What it says and what its other parts say, without label and calls.
[[nodiscard]] std::string all_text_of(const ConversationMessage& message);

/// Bytes of its "role: ", with which its text begins.
[[nodiscard]] std::size_t label_bytes(const ConversationMessage& message);

/// Whether the message has nothing to say outside its place: calls alone, that write nothing.
[[nodiscard]] bool is_bare_call(const ConversationMessage& message);

/// Ranges of a message's text, ascending and apart from each other, with "…" where something is left out and the name of
/// each section that they are in. nullopt where they are not in the text.
[[nodiscard]] std::optional<std::string> quoted(const ConversationMessage& message,
                                                const std::vector<TextSpan>& ranges);

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
