#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

namespace ctxmgr {

struct SqlOptions {
  /// `postgresql://user:password@host:port/database` or `mysql://…`, with percent-encoding. Parameters after `?` are given
  /// to the client library: `sslmode=require`, `unix_socket=…`. Never printed, not even in errors.
  std::string url{};
  std::size_t max_connections = 8;  ///< A call waits for one, up to its deadline. More serve more threads at once.
  std::chrono::milliseconds connect_timeout{5'000};
  /// For one statement, lock waits included; less with a deadline.
  std::chrono::milliseconds statement_timeout{30'000};
};

/// Conversations on PostgreSQL or MariaDB, shared by any number of processes, in the tables `workflows`,
/// `conversation_messages`, `workflow_steps` and `workflow_texts`, which are created and migrated on opening. A success
/// is as durable as the server's commit. Erased rows are gone for every reader; when their bytes leave the server's
/// files is up to it (VACUUM, purge, backups).
///
/// `invalid_argument` for a URL of another form, and for PostgreSQL behind a connection pooler; `unavailable` where there is no server; `denied`; `bad_data` for
/// tables that a newer version wrote. A message that is too large for the server's `max_allowed_packet` is
/// `limit_exceeded`. A call that finds its connection dead is repeated on another one, where that cannot do it twice. A call is back 250 ms
/// after its deadline at the latest, also from a server that is silent: `deadline_exceeded` does not say whether it had
/// an effect. Cancellation is noticed between statements. The destructor waits for connections that are being opened.
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<ConversationStore>> make_sql_conversation_store(
    const SqlOptions& options);

}  // namespace ctxmgr
