#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr {

/// What a returned success outlives. Neither ever leaves a damaged file.
enum class Durability {
  process_crash,  ///< A killed process; a power cut may lose the last writes.
  power_loss,     ///< A power cut, too. At least one fsync a write.
};

[[nodiscard]] constexpr std::string_view to_string(Durability value) {
  return value == Durability::power_loss ? "power_loss" : "process_crash";
}

/// Who else may have the file open.
enum class SqliteSharing {
  shared,     ///< Other stores and processes, on this machine.
  exclusive,  ///< Nobody: the file is locked as long as the store lives. Several times faster to write.
};

[[nodiscard]] constexpr std::string_view to_string(SqliteSharing value) {
  return value == SqliteSharing::exclusive ? "exclusive" : "shared";
}

/// A shared file is written through a write-ahead log where the SQLite library is 3.51.3 or later. Where it is older, a
/// rollback journal is used: with those, several connections could damage a log that was being reset.
struct SqliteOptions {
  std::string path{};  ///< Created with mode 0600, not on a network file system. One file may hold both stores.
  Durability durability = Durability::process_crash;
  SqliteSharing sharing = SqliteSharing::shared;
  std::chrono::milliseconds busy_timeout{5'000};  ///< How long a call waits for other writers: then `unavailable`.
  std::shared_ptr<Clock> clock{};  ///< Its now() decides expiry and dates new conversations. Null: the machine's.
};

/// Errors of opening: `bad_data` for a file that is not ours, is damaged, or was written by a newer version; it is never
/// changed then. `denied` where it may not be written. `unavailable` while somebody has it exclusively.
/// `invalid_argument` for a path that leads nowhere. Of calls, also `limit_exceeded` when the disk is full. After a
/// failed write to the disk the store answers `unavailable` until it is opened again. A store must not be used across
/// fork(). What is erased is overwritten in the file, and erasing a namespace empties the log.
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<KeyValueStore>> make_sqlite_key_value_store(
    const SqliteOptions& options);

/// The same for conversations, in the tables `workflows`, `conversation_messages`, `workflow_steps` and
/// `workflow_texts`, which the sqlite3 shell shows readably. What is erased is overwritten in the file.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<ConversationStore>> make_sqlite_conversation_store(
    const SqliteOptions& options);

}  // namespace ctxmgr
