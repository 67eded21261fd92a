#pragma once
#include <string_view>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"

namespace ctxmgr {

/// The tool by which a model finds tools that a build left out (`BuildRequest::tools_budget`).
inline constexpr std::string_view search_tools_name = "search_tools";

/// Its definition, which such builds send. Pure.
[[nodiscard]] CTXMGR_API ToolDefinition search_tools_definition();

/// Runs a call of it over all tools of the host: the message that answers it, with the definitions of the few that fit its
/// query best. The next build sends the found tools, so that the model can call them.
///
///     if (call.name == ctxmgr::search_tools_name) history.push_back(ctxmgr::run_search_tools(all_tools, call));
///
/// Always answers: arguments that are not as defined, and a query that nothing fits, get a message that says so. Pure;
/// takes about a millisecond for a hundred tools.
[[nodiscard]] CTXMGR_API ConversationMessage run_search_tools(const std::vector<ToolDefinition>& tools,
                                                              const ToolCall& call);

/// The tool by which a model has its thread compacted when it no longer needs the texts that it read.
inline constexpr std::string_view compact_context_name = "compact_context";

/// Its definition. The first build after a call of it compacts the thread, whoever answers the call. Pure.
[[nodiscard]] CTXMGR_API ToolDefinition compact_context_definition();

/// The message that answers a call of it. Pure.
[[nodiscard]] CTXMGR_API ConversationMessage answer_compact_context(const ToolCall& call);

/// The tool by which a model asks how many tokens are free.
inline constexpr std::string_view context_remaining_name = "context_remaining";

/// Its definition. Pure.
[[nodiscard]] CTXMGR_API ToolDefinition context_remaining_definition();

/// The message that answers a call of it, by the receipt of the request that the model answered. Pure.
[[nodiscard]] CTXMGR_API ConversationMessage answer_context_remaining(const ToolCall& call,
                                                                      const ContextUtilizationMetadata& receipt);

}  // namespace ctxmgr
