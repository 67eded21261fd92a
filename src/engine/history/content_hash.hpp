#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// JSON of further fields without where a service's cache breaks: agents move that from turn to turn, and no model reads it.
/// `rest` holds the text where it is another one.
[[nodiscard]] std::string_view without_breakpoint(std::string_view fields, std::string& rest);

/// A fast hash over everything of a message that a build looks at, sent or not: content, calls, steps, numbers and pins. For
/// noticing that a message changed since it was read; not cryptographic. Where a cache breaks is no change.
[[nodiscard]] std::uint64_t content_hash(const ConversationMessage& message);

}  // namespace ctxmgr::engine
