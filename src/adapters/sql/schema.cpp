#include "adapters/sql/schema.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ctxmgr::sql {
namespace {

/// One entry brings the tables from the version before to its own; never changed once released.
/// {id}, {key}, {text} and so on: what the two servers write differently. {key} holds hex digits and sorts as bytes do.
const std::vector<std::vector<std::string_view>> migrations = {
    {
        R"(CREATE TABLE IF NOT EXISTS workflows (
        id {id},
        name_key {key} NOT NULL UNIQUE,
        name {text} NOT NULL,
        last_sequence BIGINT NOT NULL,
        last_step BIGINT NOT NULL,
        status VARCHAR(16) NOT NULL,
        estimated_tokens BIGINT NOT NULL,
        created_at BIGINT NOT NULL){table})",
        R"(CREATE TABLE IF NOT EXISTS conversation_messages (
        id {id},
        workflow_id BIGINT NOT NULL REFERENCES workflows(id),
        sequence_number BIGINT NOT NULL,
        role VARCHAR(16) NOT NULL,
        content_kind VARCHAR(16) NOT NULL,
        content {text} NOT NULL,
        agent {text} NOT NULL,
        tool_data {text} NOT NULL,
        reasoning_data {text} NOT NULL,
        retention VARCHAR(16) NOT NULL,
        is_fixed INTEGER NOT NULL,
        summary_first BIGINT NOT NULL,
        summary_last BIGINT NOT NULL,
        token_count BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        content_hash {key} NOT NULL,
        idempotency_key {key},
        batch_last BIGINT NOT NULL,
        UNIQUE (workflow_id, sequence_number),
        UNIQUE (workflow_id, idempotency_key)){table})",
        R"(CREATE INDEX {if_new} conversation_messages_fixed
        ON conversation_messages (workflow_id, is_fixed, sequence_number))",
        R"(CREATE TABLE IF NOT EXISTS workflow_steps (
        workflow_id BIGINT NOT NULL REFERENCES workflows(id),
        step_number BIGINT NOT NULL,
        agent {text} NOT NULL,
        created_at BIGINT NOT NULL,
        last_sequence BIGINT NOT NULL,
        thread_state {text} NOT NULL,
        messages {text} NOT NULL,
        content_hash {key} NOT NULL,
        PRIMARY KEY (workflow_id, step_number)){table})",
        R"(CREATE TABLE IF NOT EXISTS workflow_texts (
        workflow_id BIGINT NOT NULL REFERENCES workflows(id),
        content_hash {key} NOT NULL,
        content {text} NOT NULL,
        PRIMARY KEY (workflow_id, content_hash)){table})",
    },
    // The names that an application's own table of messages mostly has, for queries that were written for it.
    {
        R"(ALTER TABLE conversation_messages ADD COLUMN IF NOT EXISTS workflowId BIGINT
        GENERATED ALWAYS AS (workflow_id) {generated})",
        R"(ALTER TABLE conversation_messages ADD COLUMN IF NOT EXISTS createdAt {time}
        GENERATED ALWAYS AS ({time_of_created_at}) {generated})",
    },
};

using Words = std::vector<std::pair<std::string_view, std::string_view>>;

const Words& words(Backend backend) {
  static const Words postgresql = {
      {"{id}", "BIGSERIAL PRIMARY KEY"},
      {"{key}", "VARCHAR(1024) COLLATE \"C\""},
      {"{text}", "TEXT"},
      {"{if_new}", "IF NOT EXISTS"},
      {"{table}", ""},
      {"{generated}", "STORED"},
      {"{time}", "TIMESTAMP(3)"},
      {"{time_of_created_at}", "TIMESTAMP '1970-01-01' + created_at * INTERVAL '1 millisecond'"}};
  static const Words mysql = {{"{id}", "BIGINT AUTO_INCREMENT PRIMARY KEY"},
                              {"{key}", "VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin"},
                              {"{text}", "LONGTEXT"},
                              {"{if_new}", "IF NOT EXISTS"},
                              {"{table}", " ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"},
                              {"{generated}", "VIRTUAL"},
                              {"{time}", "DATETIME(3)"},
                              {"{time_of_created_at}", "DATE'1970-01-01' + INTERVAL created_at * 1000 MICROSECOND"}};
  return backend == Backend::postgresql ? postgresql : mysql;
}

std::string in_dialect(std::string_view statement, Backend backend) {
  std::string text(statement);
  for (const auto& [word, meaning] : words(backend)) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + meaning.size())) {
      text.replace(at, word.size(), meaning);
    }
  }
  return text;
}

/// Held while tables are made: one process at a time. The number and the name are ours alone.
class MigrationLock {
 public:
  MigrationLock(soci::session& session, Backend backend) : session_(session), backend_(backend) {
    int got = 0;
    if (backend_ == Backend::postgresql) {
      session_ << "SELECT 1 FROM (SELECT pg_advisory_lock(7218460213)) AS locked", soci::into(got);
    } else {
      session_ << "SELECT GET_LOCK('ctxmgr_migration', 30)", soci::into(got);
    }
  }
  MigrationLock(const MigrationLock&) = delete;
  MigrationLock& operator=(const MigrationLock&) = delete;
  ~MigrationLock() {
    int released = 0;
    try {
      if (backend_ == Backend::postgresql) {
        session_ << "SELECT 1 FROM (SELECT pg_advisory_unlock(7218460213)) AS unlocked", soci::into(released);
      } else {
        session_ << "SELECT RELEASE_LOCK('ctxmgr_migration')", soci::into(released);
      }
    } catch (const soci::soci_error&) {
      // The connection is gone, and the lock with it.
    }
  }

 private:
  soci::session& session_;
  const Backend backend_;
};

const int newest = static_cast<int>(migrations.size());

int stored_version(soci::session& session) {
  int version = 0;
  soci::indicator found = soci::i_null;
  session << "SELECT MAX(version) FROM ctxmgr_schema", soci::into(version, found);
  return found == soci::i_ok ? version : 0;
}

/// Asked without writing, since a replica takes no writes.
bool is_newest(soci::session& session, Backend backend) {
  int tables = 0;
  session << "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'ctxmgr_schema' AND table_schema = "
          << (backend == Backend::postgresql ? "current_schema()" : "DATABASE()"),
      soci::into(tables);
  return tables > 0 && stored_version(session) == newest;
}

}  // namespace

Result<void> migrate(soci::session& session, Backend backend) {
  if (is_newest(session, backend)) return {};
  const MigrationLock lock(session, backend);
  session << in_dialect("CREATE TABLE IF NOT EXISTS ctxmgr_schema (version INTEGER NOT NULL){table}", backend);
  int version = stored_version(session);
  if (version > newest) return fail(ErrorCode::bad_data, "the tables were written by a newer version of ctxmgr");
  for (; version < newest; ++version) {
    // MariaDB commits after each of these; IF NOT EXISTS lets a migration that was broken off be repeated.
    soci::transaction transaction(session);
    for (const auto statement : migrations[static_cast<std::size_t>(version)]) {
      session << in_dialect(statement, backend);
    }
    const int reached = version + 1;
    session << "INSERT INTO ctxmgr_schema (version) VALUES (:version)", soci::use(reached);
    transaction.commit();
  }
  return {};
}

}  // namespace ctxmgr::sql
