#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// What becomes of a history that no service would take, as a crash or a cancelled call leaves it.
enum class BrokenHistory {
  refuse,  ///< `invalid_argument`, with message and id.
  mend,    ///< As of `mend_history()`; each thing is a note of the receipt, "mended: …".
};

/// Nothing where every service would take the calls and results, else `invalid_argument` for the first that is wrong. Wrong is
/// a call without its result before later messages; open calls at the very end are legal. So is a result without its call,
/// an empty or repeated id, and an argument that is no JSON object. Linear.
[[nodiscard]] CTXMGR_API Result<void> check_history(const std::vector<ConversationMessage>& messages);

/// A history that `check_history()` finds nothing wrong with.
struct MendedHistory {
  std::vector<ConversationMessage> messages{};
  std::vector<std::string> notes{};  ///< One for each thing that was mended, with message and id.
};

/// Puts "no result: interrupted" where a call has no result. Quotes results without their call as a user's text. Gives calls
/// another id where they have none, or one that was used before. Wraps arguments that are no object. Changes nothing
/// else. Linear.
[[nodiscard]] CTXMGR_API MendedHistory mend_history(const std::vector<ConversationMessage>& messages);

}  // namespace ctxmgr
