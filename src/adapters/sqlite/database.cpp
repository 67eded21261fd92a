#include "adapters/sqlite/database.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "adapters/sqlite/error.hpp"
#include "adapters/sqlite/file.hpp"
#include "adapters/sqlite/schema.hpp"

namespace ctxmgr::sqlite {
namespace {

// The first release in which several connections may share a write-ahead log (sqlite.org/wal.html, "WAL-reset bug").
constexpr int first_safe_wal_version = 3'051'003;

// Virtual machine steps between two looks at the caller's deadline: some microseconds.
constexpr int progress_interval = 4'000;

// A log that grew past this, by a large write or behind a long reader, is cut back once it was written into the file.
constexpr const char* limit_log = "PRAGMA journal_size_limit=4194304";

// Looking each time whether the file is still the one that was opened would cost an eighth of a small read.
constexpr unsigned reads_between_checks = 16;

// SQLite's lock has no queue: who waits looks again and again, and finds it taken by whoever had it before. So who writes
// all the time pauses now and then, for longer than others take to look again.
constexpr std::chrono::milliseconds wait_interval{1};
constexpr std::chrono::milliseconds longest_stretch{50};
constexpr std::chrono::milliseconds pause{3};

// Longer than any caller waits; keeps points in time in range.
constexpr std::chrono::milliseconds longest_wait = std::chrono::hours(24 * 365);

constexpr int max_row_bytes = 64 << 20;
constexpr int max_sql_bytes = 100'000;

}  // namespace

// ---- Transaction ----

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      mode_(other.mode_),
      open_(std::exchange(other.open_, false)) {}

Transaction::~Transaction() {
  if (!database_) return;
  if (open_ && !sqlite3_get_autocommit(database_->connection_)) {
    database_->call_ = nullptr;                                                   // a rollback is never interrupted
    sqlite3_exec(database_->connection_, "ROLLBACK", nullptr, nullptr, nullptr);  // which throws nothing
  }
  database_->call_ = nullptr;
  database_->gate_.leave();
}

Result<void> Transaction::begin() {
  // Where memory failed a rollback may have failed as well.
  if (!sqlite3_get_autocommit(database_->connection_)) (void)prepare("ROLLBACK").run();
  if (mode_ == Mode::statement) return {};
  auto begun = prepare(mode_ == Mode::write ? "BEGIN IMMEDIATE" : "BEGIN").run();
  open_ = begun.has_value();
  return begun;
}

std::int64_t Transaction::changed_rows() const { return sqlite3_changes64(database_->connection_); }

std::int64_t Transaction::now_ms() const {
  const auto& clock = database_->options_.clock;
  const auto now = clock ? clock->now() : std::chrono::system_clock::now();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

Result<void> Transaction::commit() {
  if (!open_) return {};
  auto committed = prepare("COMMIT").run();
  if (mode_ == Mode::write) database_->last_write_ = std::chrono::steady_clock::now();
  open_ = !committed.has_value();
  return committed;
}

// ---- Database ----

Database::Database(const SqliteOptions& options, std::string path)
    : options_(options), path_(std::move(path)), process_(::getpid()) {}

Result<std::unique_ptr<Database>> Database::open(const SqliteOptions& options) {
  auto path = prepare_file(options.path);
  if (!path) return tl::unexpected(path.error());
  auto bounded = options;
  bounded.busy_timeout = std::clamp(options.busy_timeout, std::chrono::milliseconds(0), longest_wait);
  std::unique_ptr<Database> database(new Database(bounded, *std::move(path)));
  if (auto connected = database->connect(); !connected) return tl::unexpected(connected.error());
  return database;
}

Database::~Database() {
  // After fork() the locks and the connection are the parent's: closing it here would break them.
  if (::getpid() != process_) return;
  for (const auto& [sql, statement] : idle_statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(connection_);
}

Result<Transaction> Database::begin(Mode mode, const CallOptions& call) {
  if (::getpid() != process_) return fail(ErrorCode::invalid_argument, "sqlite: the store was opened before fork()");
  if (auto entered = gate_.enter(call); !entered) return tl::unexpected(entered.error());
  Transaction transaction(*this, mode);  // leaves the gate
  call_ = &call;
  busy_until_ = std::chrono::steady_clock::now() + options_.busy_timeout;
  if (broken_) return fail(ErrorCode::unavailable, "sqlite: a write to the disk failed; open the store again");
  if (mode == Mode::write || ++reads_ % reads_between_checks == 0) {
    if (auto checked = check_file(); !checked) return tl::unexpected(checked.error());
  }
  if (mode == Mode::write && !options_.exclusive) let_others_write();
  if (auto begun = transaction.begin(); !begun) return tl::unexpected(begun.error());
  return transaction;
}

void Database::let_others_write() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_write_ > pause) {
    writing_since_ = now;
  } else if (now - writing_since_ > longest_stretch) {
    std::this_thread::sleep_for(pause);
    writing_since_ = std::chrono::steady_clock::now();
  }
}

Result<void> Database::forget_log(const CallOptions& call) {
  auto transaction = begin(Mode::statement, call);
  if (!transaction) return tl::unexpected(transaction.error());
  return transaction->prepare("PRAGMA wal_checkpoint(TRUNCATE)").run();
}

Result<void> Database::connect() {
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path_.c_str(), &connection_, flags, nullptr);
  if ((code & 0xff) == SQLITE_CANTOPEN) return fail(ErrorCode::invalid_argument, "sqlite: the file cannot be opened");
  if (code != SQLITE_OK) return tl::unexpected(error_from(code, "opening the file"));
  if (sqlite3_db_readonly(connection_, "main") == 1) return fail(ErrorCode::denied, "sqlite: the file is read-only");
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0) {
    device_ = info.st_dev;
    inode_ = info.st_ino;
  }
  busy_until_ = std::chrono::steady_clock::now() + options_.busy_timeout;
  if (auto configured = configure(); !configured) return configured;
  if (auto migrated = migrate(connection_); !migrated) return migrated;
  return choose_journal();
}

Result<void> Database::configure() {
  sqlite3_progress_handler(connection_, progress_interval, on_progress, this);
  sqlite3_busy_handler(connection_, on_busy, this);
  sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, max_row_bytes);
  sqlite3_limit(connection_, SQLITE_LIMIT_SQL_LENGTH, max_sql_bytes);
  sqlite3_limit(connection_, SQLITE_LIMIT_ATTACHED, 0);
  // The file may have been written by somebody else: nothing in its schema is run.
  for (const int setting : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                            SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION}) {
    sqlite3_db_config(connection_, setting, 0, nullptr);
  }
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (options_.exclusive) {
    if (auto set = execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT"); !set) return set;
  }
  return execute(
      "PRAGMA mmap_size=0; PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON;"
      "PRAGMA synchronous=FULL");
}

Result<void> Database::choose_journal() {
  const bool wal_is_safe = sqlite3_libversion_number() >= first_safe_wal_version || options_.exclusive;
  const auto* const sql = wal_is_safe ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=TRUNCATE";
  auto mode = pragma(sql);
  // Changing the mode takes a lock for which SQLite does not always ask the busy handler.
  for (int tries = 0; !mode && mode.error().code == ErrorCode::unavailable && on_busy(this, tries); ++tries) {
    mode = pragma(sql);
  }
  if (!mode) return tl::unexpected(mode.error());
  if (*mode == "wal" && !wal_is_safe) {
    return fail(ErrorCode::unavailable, "sqlite: the file is in use with a log that this SQLite cannot share safely");
  }
  if (auto limited = pragma(limit_log); !limited) return tl::unexpected(limited.error());
  // A rollback journal keeps its promises only with full synchronisation; a log loses the last writes at worst.
  if (*mode == "wal" && !options_.survives_power_loss) return execute("PRAGMA synchronous=NORMAL");
  return {};
}

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error_from(code, "setting up the connection"));
  return {};
}

Result<std::string> Database::pragma(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr);
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  std::string value;
  if (code == SQLITE_ROW) value = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW) return tl::unexpected(error_from(code, "setting up the connection"));
  return value;
}

Result<void> Database::check_file() const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) return {};
  return fail(ErrorCode::unavailable, "sqlite: the file was moved, replaced or removed; open the store again");
}

Error Database::failure(int code, std::string_view doing) {
  if (is_write_failure(code)) broken_ = true;
  if (const bool gave_up = code == SQLITE_INTERRUPT || (code & 0xff) == SQLITE_BUSY; gave_up && call_) {
    if (auto wanted = check_wanted(*call_); !wanted) return wanted.error();
  }
  return error_from(code, doing);
}

int Database::on_progress(void* self) {
  const auto* call = static_cast<Database*>(self)->call_;
  return call && !check_wanted(*call) ? 1 : 0;
}

int Database::on_busy(void* self, int tries) {
  const auto& database = *static_cast<Database*>(self);
  if (std::chrono::steady_clock::now() >= database.busy_until_) return 0;
  if (database.call_ && !check_wanted(*database.call_)) return 0;
  std::this_thread::sleep_for(tries < 1'000 ? wait_interval : wait_interval * 5);
  return 1;
}

}  // namespace ctxmgr::sqlite
