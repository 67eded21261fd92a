#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::http {

/// What of a service's own sentence may stand in an error: one line of at most 300 bytes, with "…" for whatever it quotes
/// of the messages, twelve bytes or more of it. Linear in the messages.
[[nodiscard]] std::string quotable(std::string_view sentence, const std::vector<ConversationMessage>& messages);

}  // namespace ctxmgr::http
