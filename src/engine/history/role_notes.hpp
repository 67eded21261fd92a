#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/history/thread_roles.hpp"

namespace ctxmgr::engine {

/// What the receipt says of messages in the user's role that are not taken for what the user asks: which, and for what. Empty where
/// there are none.
[[nodiscard]] std::vector<std::string> notes_of_roles(const std::vector<ConversationMessage>& messages,
                                                      const ThreadRoles& roles);

}  // namespace ctxmgr::engine
