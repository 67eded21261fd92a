#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "engine/structure/text_structure.hpp"

/// The one place that says what the text of a message is: for the index, evidence, extracts, notes and the archive.
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

}  // namespace ctxmgr::engine
