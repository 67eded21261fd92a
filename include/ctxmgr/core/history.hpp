#pragma once
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// Nothing where every service would take the calls and results, else `invalid_argument` for the first that is wrong. Wrong is
/// a call without its result before later messages, or beside one that has its result. Calls that are all open at the very
/// end are legal. Wrong are a result without its call, an empty or repeated id, and arguments that are no JSON object. Linear.
[[nodiscard]] CTXMGR_API Result<void> check_history(const std::vector<ConversationMessage>& messages);

}  // namespace ctxmgr
