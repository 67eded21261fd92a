#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// Nothing where every service would take the calls and results, else `invalid_argument` for the first that is wrong. Wrong is
/// a call without its result before later messages, or beside one that has its result. Calls that are all open at the very
/// end are legal. Wrong are a result without its call, an empty or repeated id, and arguments that are no JSON object. Linear.
[[nodiscard]] CTXMGR_API Result<void> check_history(const std::vector<ConversationMessage>& messages);

/// A history that `check_history()` finds nothing wrong with.
struct MendedHistory {
  std::vector<ConversationMessage> messages{};
  std::vector<std::string> notes{};  ///< One for each thing that was mended, with message and id.
};

/// Puts "no result: interrupted" where a call has none, and quotes results without their call as fenced data in a user
/// message. Gives calls another id where they have none, or one that was used before. Wraps arguments that are no object.
/// Changes nothing else. A result belongs to the nearest open call of its id, by the same agent where both say one. Linear.
[[nodiscard]] CTXMGR_API MendedHistory mend_history(const std::vector<ConversationMessage>& messages);

}  // namespace ctxmgr
