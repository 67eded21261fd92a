#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// Which definitions are sent.
struct ToolChoice {
  /// In the order of the request; `search_tools` last, where something is left out and the request offers it.
  std::vector<ToolDefinition> sent{};
  std::vector<std::string> left_out{};  ///< Names of those that are not sent, in the order of the request.
  std::int64_t tokens = 0;              ///< What the definitions that are sent count.
  std::int64_t set_aside = 0;  ///< What is taken from the budget for them: the same for every question of a thread.
};

/// All of them where no `tools_budget` is set or it is enough. Else those that were called, or found by `search_tools`, at
/// any time; pinned ones, and what is no function; then what the query and its hints need most, which `retriever` says.
[[nodiscard]] ToolChoice choose_tools(const BuildRequest& request, const std::vector<ConversationMessage>& history,
                                      const std::string& query, const std::vector<std::string>& hints,
                                      const TokenCounter& counter, const Retriever& retriever);

}  // namespace ctxmgr::engine
