#include "adapters/sqlite/schema.hpp"

#include <sqlite3.h>

#include <array>
#include <string>

#include "adapters/sqlite/error.hpp"

namespace ctxmgr::sqlite {
namespace {

// "ctxm", in the header of every file that is ours.
constexpr std::int64_t application_id = 0x6374786d;

/// The i-th entry leads from user_version i to i + 1. Frozen: a released entry is never changed, only followed.
constexpr std::array migrations = {
    // Key-value store. The rows' content comes last, so that the rest is read without it.
    "CREATE TABLE kv ("
    "  name_space BLOB NOT NULL, key BLOB NOT NULL,"
    "  version INTEGER NOT NULL, expires_at INTEGER, checksum INTEGER NOT NULL, value BLOB NOT NULL);"
    "CREATE UNIQUE INDEX kv_key ON kv (name_space, key);"
    "CREATE INDEX kv_expiry ON kv (expires_at) WHERE expires_at IS NOT NULL;"
    "CREATE TABLE kv_counter (last_version INTEGER NOT NULL);"
    "INSERT INTO kv_counter VALUES (0);",
    // Conversations. Texts as stored_columns.hpp writes them; times in milliseconds since 1970.
    "CREATE TABLE workflows ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT, name_key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    "  last_sequence INTEGER NOT NULL, last_step INTEGER NOT NULL, status TEXT NOT NULL,"
    "  estimated_tokens INTEGER NOT NULL, created_at INTEGER NOT NULL);"
    "CREATE TABLE conversation_messages ("
    "  id INTEGER PRIMARY KEY, workflow_id INTEGER NOT NULL REFERENCES workflows (id),"
    "  sequence_number INTEGER NOT NULL, role TEXT NOT NULL, agent TEXT NOT NULL, retention TEXT NOT NULL,"
    "  is_fixed INTEGER NOT NULL, summary_first INTEGER NOT NULL, summary_last INTEGER NOT NULL,"
    "  token_count INTEGER NOT NULL, created_at INTEGER NOT NULL, idempotency_key TEXT, batch_last INTEGER NOT NULL,"
    "  content_hash TEXT NOT NULL, content_kind TEXT NOT NULL, content TEXT NOT NULL, tool_data TEXT NOT NULL,"
    "  reasoning_data TEXT NOT NULL);"
    "CREATE UNIQUE INDEX conversation_messages_number ON conversation_messages (workflow_id, sequence_number);"
    "CREATE UNIQUE INDEX conversation_messages_key ON conversation_messages (workflow_id, idempotency_key)"
    "  WHERE idempotency_key IS NOT NULL;"
    "CREATE INDEX conversation_messages_fixed ON conversation_messages (workflow_id, sequence_number)"
    "  WHERE is_fixed = 1;"
    "CREATE TABLE workflow_steps ("
    "  workflow_id INTEGER NOT NULL REFERENCES workflows (id), step_number INTEGER NOT NULL, agent TEXT NOT NULL,"
    "  created_at INTEGER NOT NULL, last_sequence INTEGER NOT NULL, thread_state TEXT NOT NULL,"
    "  messages TEXT NOT NULL, content_hash TEXT NOT NULL, PRIMARY KEY (workflow_id, step_number));"
    "CREATE TABLE workflow_texts ("
    "  workflow_id INTEGER NOT NULL REFERENCES workflows (id), content_hash TEXT NOT NULL, content TEXT NOT NULL,"
    "  PRIMARY KEY (workflow_id, content_hash));",
    // The names that an application's own table of messages mostly has, for queries that were written for it.
    "ALTER TABLE conversation_messages ADD COLUMN workflowId INTEGER AS (workflow_id) VIRTUAL;"
    "ALTER TABLE conversation_messages ADD COLUMN createdAt TEXT"
    "  AS (strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch')) VIRTUAL;",
};

Result<void> execute(sqlite3* connection, const std::string& sql) {
  const int code = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    return tl::unexpected(error_from(sqlite3_extended_errcode(connection), "preparing the tables"));
  }
  return {};
}

Result<std::int64_t> number(sqlite3* connection, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection, sql, -1, &statement, nullptr);
  const int code = sqlite3_step(statement);
  const auto value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW) return tl::unexpected(error_from(sqlite3_extended_errcode(connection), "reading the header"));
  return value;
}

/// The file's user_version, once it is known to be ours.
Result<std::int64_t> version_of(sqlite3* connection) {
  auto id = number(connection, "PRAGMA application_id");
  auto version = number(connection, "PRAGMA user_version");
  auto tables = number(connection, "SELECT count(*) FROM sqlite_schema");
  if (!id) return id;
  if (!version) return version;
  if (!tables) return tables;
  const bool is_new = *id == 0 && *version == 0 && *tables == 0;
  if (*id != application_id && !is_new) return fail(ErrorCode::bad_data, "sqlite: the file is another program's");
  if (*version < 0 || *version > static_cast<std::int64_t>(migrations.size())) {
    return fail(ErrorCode::bad_data, "sqlite: the file was written by a newer version");
  }
  return version;
}

Result<void> apply_missing(sqlite3* connection) {
  // Asked again: somebody else may have migrated while this connection waited for the lock.
  const auto version = version_of(connection);
  if (!version) return tl::unexpected(version.error());
  for (auto i = static_cast<std::size_t>(*version); i < migrations.size(); ++i) {
    if (auto done = execute(connection, migrations[i]); !done) return done;
  }
  return execute(connection, "PRAGMA user_version=" + std::to_string(migrations.size()) +
                                 "; PRAGMA application_id=" + std::to_string(application_id));
}

}  // namespace

Result<void> migrate(sqlite3* connection) {
  // In one snapshot: another process may be making the tables just now.
  if (auto begun = execute(connection, "BEGIN"); !begun) return begun;
  const auto version = version_of(connection);
  (void)execute(connection, "ROLLBACK");
  if (!version) return tl::unexpected(version.error());
  if (*version == static_cast<std::int64_t>(migrations.size())) return {};
  if (auto begun = execute(connection, "BEGIN IMMEDIATE"); !begun) return begun;
  auto applied = apply_missing(connection);
  if (applied) applied = execute(connection, "COMMIT");
  if (!applied) (void)execute(connection, "ROLLBACK");
  return applied;
}

}  // namespace ctxmgr::sqlite
