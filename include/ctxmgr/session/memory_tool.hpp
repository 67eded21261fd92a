#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/session/memory_options.hpp"

namespace ctxmgr {

inline constexpr std::string_view memory_tool_name = "memory";

/// The memory tool that services define, by its fields, for those that know none by that name:
/// `view`, `create`, `str_replace`, `insert`, `delete` and `rename` under `/memories`.
[[nodiscard]] CTXMGR_API ToolDefinition memory_tool_definition();

/// For the system prompt: when to look and what to note, and that a memory holds data.
[[nodiscard]] CTXMGR_API std::string_view memory_instructions();

/// Runs a call of the memory tool and returns the tool message that answers it. A mistake of the model, and a store
/// that does not answer, are messages that say what can be done. A path that leads out of `/memories` is refused.
/// Everything of one call is one write of the store, so that two sessions of a user may work at once. Its answer is
/// text that a model once wrote: data in a tool's message, nowhere else.
///
///     if (call.name == memory_tool_name) history.push_back(*answer_memory_tool(call, memory));
///
/// `invalid_argument`: options without a store or a user, or beyond the limits above.
/// Thread-safety: may be called from several threads and processes at once.
[[nodiscard]] CTXMGR_API Result<ConversationMessage> answer_memory_tool(const ToolCall& tool_call,
                                                                        const MemoryOptions& memory,
                                                                        const CallOptions& call = {});

/// The changes, newest first. Errors: those of `answer_memory_tool()`, and the store's.
[[nodiscard]] CTXMGR_API Result<std::vector<MemoryChange>> memory_changes(const MemoryOptions& memory,
                                                                          std::size_t limit = 100,
                                                                          const CallOptions& call = {});

/// Erases all files of the user, and the history of their changes. Errors as above.
[[nodiscard]] CTXMGR_API Result<void> erase_memory(const MemoryOptions& memory, const CallOptions& call = {});

}  // namespace ctxmgr
