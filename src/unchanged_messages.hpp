#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// For each message that was built, the one of those read that it is, where it was not changed. Both lists are in one order.
/// `hashes`: `content_hash()` of those read.
[[nodiscard]] std::vector<std::optional<std::size_t>> find_unchanged(const std::vector<ConversationMessage>& read,
                                                                     const std::vector<std::uint64_t>& hashes,
                                                                     const std::vector<ConversationMessage>& built);

}  // namespace ctxmgr
