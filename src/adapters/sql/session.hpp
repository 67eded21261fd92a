#pragma once
#include <soci/soci.h>

#include <chrono>
#include <memory>

#include "adapters/sql/url.hpp"
#include "adapters/sql/watchdog.hpp"
#include "ctxmgr/core/call_options.hpp"

namespace ctxmgr::sql {

/// What the constructor throws where another program stands between the client and a PostgreSQL server.
inline constexpr const char* behind_pooler = "the server is behind a connection pooler";

/// A connection, watched while a call uses it.
/// Thread-safety: used by one thread at a time.
class Session {
 public:
  /// Throws soci::soci_error where there is no connection to be had.
  Session(const Connection& connection, Watchdog& dog, std::chrono::milliseconds connect_timeout,
          std::chrono::milliseconds statement_timeout);

  /// What follows ends with the call's deadline, on the server if it can and without it if it must; each group of
  /// statements without a deadline has the statement timeout. Throws soci::soci_error.
  void begin_call(const CallOptions& call);
  /// A further group of statements of the same call begins.
  void go_on();
  void end_call() { watch_->rest(); }
  /// Whether the server was silent for too long: the connection is lost, and it is not known what became of the call.
  [[nodiscard]] bool timed_out() const { return watch_->has_bitten(); }

  [[nodiscard]] soci::session& soci() { return soci_; }

 private:
  void limit_statements(std::chrono::milliseconds limit);

  const Backend backend_;
  const std::chrono::milliseconds statement_timeout_;
  std::chrono::milliseconds server_limit_{};  ///< What the server knows.
  CallOptions call_{};
  soci::session soci_{};
  std::unique_ptr<Watchdog::Watch> watch_;  ///< Rests before the connection is closed.
};

/// Everything that is read as long as it lives is of one moment. Throws soci::soci_error.
class Snapshot {
 public:
  Snapshot(soci::session& session, Backend backend);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

 private:
  soci::session& session_;
};

}  // namespace ctxmgr::sql
