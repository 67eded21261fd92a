#include "adapters/sqlite/statement.hpp"

#include <utility>

#include "adapters/sqlite/database.hpp"

namespace ctxmgr::sqlite {

Statement::Statement(Database& database, std::string_view sql) : database_(&database), sql_(sql) {
  // The place to put it back to, made now: a destructor may not need memory.
  auto& idle = database.idle_statements_[sql];
  if (idle) {
    statement_ = std::exchange(idle, nullptr);
    return;
  }
  note(sqlite3_prepare_v3(database.connection_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                          &statement_, nullptr));
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      sql_(other.sql_),
      statement_(std::exchange(other.statement_, nullptr)),
      failure_(other.failure_) {}

Statement::~Statement() {
  if (!statement_) return;
  reset();
  sqlite3_clear_bindings(statement_);
  const auto idle = database_->idle_statements_.find(sql_);
  if (idle->second) {
    sqlite3_finalize(statement_);  // the same statement was in use twice
  } else {
    idle->second = statement_;
  }
}

void Statement::note(int code) {
  if (failure_ == SQLITE_OK) failure_ = code;
}

Statement& Statement::bind(int index, std::string_view blob) {
  // A null pointer would bind NULL.
  note(sqlite3_bind_blob64(statement_, index, blob.data() ? blob.data() : "", blob.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_text(int index, std::string_view text) {
  note(sqlite3_bind_text64(statement_, index, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  note(sqlite3_bind_int64(statement_, index, number));
  return *this;
}

Statement& Statement::bind(int index, std::optional<std::int64_t> number) {
  note(number ? sqlite3_bind_int64(statement_, index, *number) : sqlite3_bind_null(statement_, index));
  return *this;
}

Result<bool> Statement::step() {
  if (failure_ == SQLITE_OK) {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    failure_ = sqlite3_extended_errcode(database_->connection_);
  }
  return tl::unexpected(database_->failure(failure_, "running a statement"));
}

Result<void> Statement::run() {
  const auto row = step();
  if (!row) return tl::unexpected(row.error());
  return {};
}

void Statement::reset() {
  if (!statement_) return;  // what could not be prepared stays failed
  sqlite3_reset(statement_);
  failure_ = SQLITE_OK;
}

std::string_view Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return data ? std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
              : std::string_view();
}

}  // namespace ctxmgr::sqlite
