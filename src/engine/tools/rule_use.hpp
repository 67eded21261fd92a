#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/tool_rules.hpp"

namespace ctxmgr::engine {

/// Which of a host's rules by tool are of use, as they are written there.
struct RuleUse {
  std::vector<std::string> holding{};  ///< They hold for a call of the thread.
  std::vector<std::string> idle{};     ///< They hold for none: misspelt, too early, or behind another one.
};

/// Both lists are empty where the thread has no call and the request no definition: nothing can be said of rules then. Pure.
[[nodiscard]] RuleUse use_of(const ToolRules& rules, const std::vector<ConversationMessage>& history,
                             const std::vector<ToolDefinition>& tools);

/// What the receipt says of those that are idle; empty where there are none.
[[nodiscard]] std::string note_of_idle(const RuleUse& use);

/// For the end of a note about a compaction: "; tool rules that held: ls, board_*". Empty where none holds.
[[nodiscard]] std::string words_of_holding(const RuleUse& use);

}  // namespace ctxmgr::engine
