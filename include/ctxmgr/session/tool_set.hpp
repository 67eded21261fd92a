#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/session/context_tools.hpp"
#include "ctxmgr/session/memory_options.hpp"

namespace ctxmgr {

/// The tools of this library for an agent loop, in one place: set the members whose tools the model should have.
///
///     ctxmgr::ToolSet tools;
///     tools.context.emplace(session);   // a std::shared_ptr<ContextStore>: get_context and its like
///     tools.searched = request.tools;   // search_tools
///     tools.has_room_tools = true;      // compact_context, context_remaining
///     for (auto& tool : tools.definitions()) {
///       request.pinned_tools.push_back(tool.name);  // `tools_budget` leaves none of them out
///       request.tools.push_back(std::move(tool));
///     }
///     …
///     if (tools.handles(call.name)) history.push_back(tools.run(call, built->metadata));
///
/// Thread-safety: const methods may be called from several threads at once.
struct ToolSet {
  std::optional<ContextTools> context{};   ///< Tools for the state of a session. Unset: none of them.
  std::optional<MemoryOptions> memory{};   ///< The memory tool. Unset: not this one.
  std::vector<ToolDefinition> searched{};  ///< The host's tools, for `search_tools` to find. Empty: not this one.
  bool has_room_tools = false;  ///< Whether the model may ask how much is free, and have its thread compacted.

  /// The definitions to send. `search_tools` is not among them: a build with a `tools_budget` adds it where it leaves tools out.
  [[nodiscard]] CTXMGR_API std::vector<ToolDefinition> definitions() const;

  /// Whether `run()` has a tool of this name: all of `definitions()`, and `search_tools` where `searched` is set.
  [[nodiscard]] CTXMGR_API bool handles(std::string_view tool_name) const;

  /// Runs a call and returns the tool message that answers it. `receipt` is that of the request that the model answered.
  /// Always answers: a failure, and a tool that the set does not have, are messages that say what the model can do.
  [[nodiscard]] CTXMGR_API ConversationMessage run(const ToolCall& tool_call, const ContextUtilizationMetadata& receipt,
                                                   const CallOptions& call = {}) const;
};

}  // namespace ctxmgr
