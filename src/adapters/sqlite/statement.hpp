#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sqlite {

class Database;

/// A prepared statement in use; goes back to its connection when destroyed. A failure of preparing or binding is
/// reported by the next step(). Bound text is not copied: it has to outlive the statement.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int index, std::string_view blob);
  Statement& bind_text(int index, std::string_view text);
  Statement& bind(int index, std::int64_t number);
  Statement& bind(int index, std::optional<std::int64_t> number);

  /// True: there is a row. False: done.
  [[nodiscard]] Result<bool> step();

  /// step() for statements that give no rows.
  [[nodiscard]] Result<void> run();

  /// Ready for other bindings and another step().
  void reset();

  /// Columns of the current row, counted from 0. Views are valid until the next step(), reset() or the end.
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  friend class Transaction;
  Statement(Database& database, std::string_view sql);
  void note(int code);

  Database* database_;
  std::string_view sql_;
  sqlite3_stmt* statement_ = nullptr;
  int failure_ = SQLITE_OK;
};

}  // namespace ctxmgr::sqlite
