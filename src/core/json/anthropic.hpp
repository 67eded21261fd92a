#pragma once
#include <cstddef>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// Messages in the form of Anthropic's Messages. Calls and results become calls and messages of ours, so that they are
/// counted, grouped and shortened like others; other blocks become parts that are kept as they are.
namespace ctxmgr {

/// Messages that were read, and where each of them came from.
struct AnthropicMessages {
  static constexpr std::size_t from_system = static_cast<std::size_t>(-1);

  std::vector<ConversationMessage> messages{};
  std::vector<std::size_t> origins{};  ///< Names for each message the element of "messages" that it is or is a part of.
};

/// From a request, or from its array of messages alone. Errors as of `from_json()`.
[[nodiscard]] Result<AnthropicMessages> read_anthropic_messages(const Json& json);

/// Which of the fields that have no member here are written.
enum class ExtraFields {
  all,    ///< The messages came in this form.
  known,  ///< They may have come from another service: what this one documents.
};

/// The blocks of one message: a result is one block, a call is one among its message's words. `invalid_argument` for a
/// part that has no form there: audio.
[[nodiscard]] Result<Json> write_anthropic_blocks(const ConversationMessage& message, ExtraFields extra);

/// {"system": …, "messages": […]}: instructions at the front are hoisted, neighbours of one role are one message.
[[nodiscard]] Result<Json> write_anthropic_messages(const std::vector<ConversationMessage>& messages,
                                                    ExtraFields extra);

}  // namespace ctxmgr
