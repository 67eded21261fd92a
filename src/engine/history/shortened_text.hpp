#pragma once
#include <cstdint>
#include <optional>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// The message with head and tail of its text around a mark that says how much is left out, as long as `room` tokens
/// allow; with its other parts, or if they are too much with a line that names them. nullopt where not even the mark fits.
[[nodiscard]] std::optional<ConversationMessage> head_and_tail(const ConversationMessage& message, std::int64_t room,
                                                               const TokenCounter& counter);

}  // namespace ctxmgr::engine
