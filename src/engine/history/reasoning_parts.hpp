#pragma once
#include <optional>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// The message without the reasoning and thinking blocks that a model wrote before it, and without the ids of the calls that a
/// service would ask for that reasoning by. nullopt where it has none, or nothing else to say. Pure.
[[nodiscard]] std::optional<ConversationMessage> without_reasoning(const ConversationMessage& message);

}  // namespace ctxmgr::engine
