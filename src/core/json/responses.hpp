#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// Messages in the form of OpenAI's Responses: a list of items. What the model puts out between two inputs is one message
/// of ours, its calls among its words; what answers a call is a message of a tool.
namespace ctxmgr {

/// Messages that were read, and which items each of them was.
struct ResponsesMessages {
  std::vector<ConversationMessage> messages{};
  /// The first item of each message, and one after its last.
  std::vector<std::pair<std::size_t, std::size_t>> items{};
};

/// From the items of a request's `input`, which may also be one string. Errors as of `from_json()`.
[[nodiscard]] Result<ResponsesMessages> read_responses_items(const Json& input);

/// The items of one message, appended. Parts that only another service takes are left out.
void write_responses_items(const ConversationMessage& message, Json& items);

}  // namespace ctxmgr
