#pragma once
#include <sqlite3.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/sqlite/statement.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ports/gate.hpp"

namespace ctxmgr::sqlite {

class Database;

enum class Mode {
  statement,  ///< One statement that reads: it is its own snapshot.
  read,       ///< Several, of one snapshot.
  write,      ///< Takes the file's write lock at once, so that it cannot deadlock later.
};

/// Exclusive use of a connection, and what is done with it: all or nothing. Rolled back unless committed.
class Transaction {
 public:
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  /// `sql` has to be a literal or live as long as the database: prepared statements are kept under it.
  [[nodiscard]] Statement prepare(std::string_view sql) { return {*database_, sql}; }

  /// How many rows the last statement changed.
  [[nodiscard]] std::int64_t changed_rows() const;

  /// Milliseconds since 1970: what is stored has to mean the same in every process.
  [[nodiscard]] std::int64_t now_ms() const;

  [[nodiscard]] Result<void> commit();

 private:
  friend class Database;
  Transaction(Database& database, Mode mode) : database_(&database), mode_(mode) {}
  Result<void> begin();

  Database* database_;
  Mode mode_;
  bool open_ = false;  // BEGIN has succeeded, COMMIT has not
};

/// A file with the tables of all our stores, and one connection to it. What every store on SQLite is made of:
///
///     auto tx = database->begin(Mode::write, call);
///     if (!tx) return tl::unexpected(tx.error());
///     auto insert = tx->prepare("INSERT INTO things(name) VALUES (?1)");
///     if (auto done = insert.bind(1, name).run(); !done) return done;
///     return tx->commit();
///
/// Values are always bound, never written into SQL.
/// Thread-safety: all methods may be called from several threads at once; they take turns.
class Database {
 public:
  /// Opens or creates the file, and brings its tables to the newest version. Errors as of the public factories.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const SqliteOptions& options);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Waits for its turn and, for a write, for other connections; at most until the call's deadline or cancellation.
  /// `call` has to outlive the transaction.
  [[nodiscard]] Result<Transaction> begin(Mode mode, const CallOptions& call);
  Result<Transaction> begin(Mode mode, CallOptions&& call) = delete;

  /// What was deleted is overwritten in the file; what a write-ahead log still has of it goes here. Where there is no
  /// such log, this does nothing.
  [[nodiscard]] Result<void> forget_log(const CallOptions& call);

 private:
  friend class Statement;
  friend class Transaction;

  Database(const SqliteOptions& options, std::string path);
  Result<void> connect();
  Result<void> configure();
  Result<void> choose_journal();
  Result<void> execute(const char* sql);
  Result<std::string> pragma(const char* sql);
  Result<void> check_file() const;
  Error failure(int code, std::string_view doing);
  static int on_progress(void* self);
  static int on_busy(void* self, int tries);
  void let_others_write();

  SqliteOptions options_;
  std::string path_;
  sqlite3* connection_ = nullptr;
  pid_t process_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  Gate gate_;
  // From here on: only for who is inside the gate.
  const CallOptions* call_ = nullptr;
  std::chrono::steady_clock::time_point busy_until_{};
  std::chrono::steady_clock::time_point last_write_{};
  std::chrono::steady_clock::time_point writing_since_{};  ///< Without a pause that others could have used.
  bool broken_ = false;
  unsigned reads_ = 0;
  std::map<std::string_view, sqlite3_stmt*> idle_statements_;
};

}  // namespace ctxmgr::sqlite
