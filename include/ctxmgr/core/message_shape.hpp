#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// The demands of a service, or of a local model's chat template, on a list of messages.
struct MessageShape {
  bool system_in_front =
      false;                 ///< Instructions stand before all else, in one message; later ones are said by the user.
  bool user_first = false;   ///< After them, the first word is the user's.
  bool alternating = false;  ///< Neighbours of one role are one message. Results of tools stay apart.
  bool answer_after_tool = false;  ///< Between a tool's result and the user stands a word of the assistant.
  bool plain_text = false;         ///< Content of text parts alone is a string.
  bool unique_call_ids = false;    ///< No two calls have the same id. A build sees to it, `shape_messages()` does not.

  /// Whether `shape_messages()` may have to change a list at all.
  [[nodiscard]] bool demands_anything() const {
    return system_in_front || user_first || alternating || answer_after_tool || plain_text;
  }
};

/// The shape of "openai", "anthropic", "gemini", "bedrock", "mistral", "llama_cpp" or "vllm"; nothing for another name.
/// `docs/json.md` has the source of each.
[[nodiscard]] CTXMGR_API std::optional<MessageShape> message_shape(std::string_view service);

/// The shape of a service by its base URL's host; of a list without demands where the host is not known.
[[nodiscard]] CTXMGR_API MessageShape message_shape_of_host(std::string_view host);

/// The list in that shape. Where a word has to be put in, the user says "Continue." and the assistant "Understood.". Linear, and
/// prefix by prefix: messages that are appended change nothing before the last one's neighbours.
[[nodiscard]] CTXMGR_API std::vector<ConversationMessage> shape_messages(std::vector<ConversationMessage> messages,
                                                                         const MessageShape& shape);

}  // namespace ctxmgr
