#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr {

/// A shared file is written through a write-ahead log where the SQLite library is 3.51.3 or later. Where it is older, a
/// rollback journal is used: with those, several connections could damage a log that was being reset.
struct SqliteOptions {
  std::string path{};  ///< Created with mode 0600, not on a network file system. One file may hold both stores.

  /// What a returned success outlives: false, a killed process, while a power cut may lose the last writes; true, a power cut,
  /// too, for at least one fsync a write. Neither ever leaves a damaged file.
  bool survives_power_loss = false;

  /// False: other stores and processes of this machine may have the file open. True: it is locked as long as the store lives,
  /// and several times faster to write.
  bool exclusive = false;

  std::chrono::milliseconds busy_timeout{5'000};  ///< How long a call waits for other writers: then `unavailable`.
  std::shared_ptr<Clock> clock{};  ///< Its now() decides expiry and dates new conversations. Null: the machine's.
};

/// Errors of opening: `bad_data` for a file that is not ours, is damaged, or was written by a newer version; it is never
/// changed then. `denied` where it may not be written. `unavailable` while somebody has it exclusively.
/// `invalid_argument` for a path that leads nowhere. Of calls, also `limit_exceeded` when the disk is full. After a
/// failed write to the disk the store answers `unavailable` until it is opened again. A store must not be used across
/// fork(). Erased bytes are overwritten in the file, and erasing a namespace empties the log.
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<KeyValueStore>> make_sqlite_key_value_store(
    const SqliteOptions& options);

/// The same for conversations, in the tables `workflows`, `conversation_messages`, `workflow_steps` and
/// `workflow_texts`, which the sqlite3 shell shows readably. Erased bytes are overwritten in the file.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<ConversationStore>> make_sqlite_conversation_store(
    const SqliteOptions& options);

}  // namespace ctxmgr
