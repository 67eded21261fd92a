#pragma once
#include <cstdint>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// A fast hash over everything of a message that a build looks at, sent or not: content, calls, steps, numbers and pins. For
/// noticing that a message changed since it was read; not cryptographic.
[[nodiscard]] std::uint64_t content_hash(const ConversationMessage& message);

}  // namespace ctxmgr::engine
