#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// Messages in the forms of other services than OpenAI's chat, which is in `ctxmgr/core/json_text.hpp`. Where a model makes
/// calls between its words, a part of the type "ctxmgr_call" stands among them for each, so that all go back in order.
namespace ctxmgr {

/// Messages of a request of Anthropic's Messages (its `system` too), or of its array of messages alone. A result of a tool
/// becomes a message of its own, a call one of the message's calls, in its place; other blocks are parts. Errors as of
/// `from_json()`.
[[nodiscard]] CTXMGR_API Result<std::vector<ConversationMessage>> from_anthropic_json(std::string_view json);

/// {"system": […], "messages": […]} of a request of Anthropic's Messages. Instructions are hoisted, neighbours of one role
/// become one message, and media of OpenAI's forms change theirs. A user's `name` stands before the words. Fields that
/// another service sent are left out. `invalid_argument` for audio, which has no form there.
[[nodiscard]] CTXMGR_API Result<std::string> to_anthropic_json(const std::vector<ConversationMessage>& messages);

/// Messages of the `input` of a request of OpenAI's Responses. The model's output between two inputs is one message,
/// with its calls in their places. What answers a call is a message of a tool. Errors as of `from_json()`.
[[nodiscard]] CTXMGR_API Result<std::vector<ConversationMessage>> from_responses_json(std::string_view json);

/// The items of an `input`. Parts that only another service takes are left out.
[[nodiscard]] CTXMGR_API std::string to_responses_json(const std::vector<ConversationMessage>& messages);

}  // namespace ctxmgr
