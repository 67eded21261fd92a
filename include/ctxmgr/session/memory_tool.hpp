#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/timestamp.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

inline constexpr std::string_view memory_tool_name = "memory";

/// Whose memory it is, where it is kept, and how large it may get.
struct MemoryOptions {
  std::string user{};                      ///< Opaque bytes, 1 to 128: what one user writes, no other reads.
  std::shared_ptr<KeyValueStore> store{};  ///< Any; a memory lives as long as its store keeps it.

  std::size_t max_files = 200;                         ///< At most 1 000.
  std::size_t max_file_bytes = std::size_t{64} << 10;  ///< At most 1 MiB.
  std::size_t max_bytes = std::size_t{1} << 20;        ///< What all files may take together.
  std::size_t max_changes = 100;                       ///< How many changes are remembered, at most 1 000. 0: none.
  std::int64_t max_result_tokens = 4'000;              ///< Most tokens of an answer, at least 200; more come in parts.
  std::shared_ptr<TokenCounter> token_counter{};       ///< Null: estimates.
  std::shared_ptr<Clock> clock{};                      ///< Says when something was changed. Null: the machine's.
};

/// One change of one file, with what was there before: enough to take it back.
struct MemoryChange {
  std::int64_t number = 0;  ///< Counts from 1, in the order of the changes.
  Timestamp at{};
  std::string command{};                ///< "create", "str_replace", "insert", "delete" or "rename".
  std::string path{};                   ///< The file that was changed; of a rename, the one that is gone.
  std::string new_path{};               ///< Set for a rename only.
  std::optional<std::string> before{};  ///< The text that was changed or deleted. None: there was no file.
};

/// The memory tool that services define, by its fields, for those that know none by that name:
/// `view`, `create`, `str_replace`, `insert`, `delete` and `rename` under `/memories`.
[[nodiscard]] CTXMGR_API ToolDefinition memory_tool_definition();

/// For the system prompt: when to look and what to note, and that a memory holds data.
[[nodiscard]] CTXMGR_API std::string_view memory_instructions();

/// Runs a call of the memory tool and returns the tool message that answers it. What the model did wrong, and a store
/// that does not answer, are messages that say what can be done. A path that leads out of `/memories` is refused.
/// Everything of one call is one write of the store, so that two sessions of a user may work at once. What it returns is
/// what a model once wrote: data in a tool's message, nowhere else.
///
///     if (call.name == memory_tool_name) history.push_back(*answer_memory_tool(call, memory));
///
/// `invalid_argument`: options without a store or a user, or beyond the limits above.
/// Thread-safety: may be called from several threads and processes at once.
[[nodiscard]] CTXMGR_API Result<ConversationMessage> answer_memory_tool(const ToolCall& tool_call,
                                                                        const MemoryOptions& memory,
                                                                        const CallOptions& call = {});

/// What was changed, newest first. Errors: those of `answer_memory_tool()`, and the store's.
[[nodiscard]] CTXMGR_API Result<std::vector<MemoryChange>> memory_changes(const MemoryOptions& memory,
                                                                          std::size_t limit = 100,
                                                                          const CallOptions& call = {});

/// Erases all files of the user, and the history of their changes. Errors as above.
[[nodiscard]] CTXMGR_API Result<void> erase_memory(const MemoryOptions& memory, const CallOptions& call = {});

}  // namespace ctxmgr
