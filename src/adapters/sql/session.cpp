#include "adapters/sql/session.hpp"

#include <soci/mysql/soci-mysql.h>
#include <soci/postgresql/soci-postgresql.h>

#include <algorithm>

namespace ctxmgr::sql {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// After its deadline a call still waits this long for the server to say so itself: then the connection can be kept.
constexpr milliseconds deadline_grace{100};
// A server that has not ended a statement itself by then is gone.
constexpr milliseconds statement_grace{5'000};

int socket_of(soci::session& session, Backend backend) {
  if (backend == Backend::postgresql) {
    return PQsocket(static_cast<soci::postgresql_session_backend*>(session.get_backend())->conn_);
  }
  return static_cast<int>(mysql_get_socket(static_cast<soci::mysql_session_backend*>(session.get_backend())->conn_));
}

}  // namespace

Session::Session(const Connection& connection, Watchdog& dog, milliseconds connect_timeout,
                 milliseconds statement_timeout)
    : backend_(connection.backend), statement_timeout_(statement_timeout) {
  soci_.open(backend_ == Backend::postgresql ? "postgresql" : "mysql", connection.parameters);
  watch_ = std::make_unique<Watchdog::Watch>(dog, socket_of(soci_, backend_));
  watch_->begin(Clock::now() + connect_timeout);
  if (backend_ == Backend::postgresql) {
    // libpq's own way with notices is to print them on the host's standard error.
    auto* backend = static_cast<soci::postgresql_session_backend*>(soci_.get_backend());
    PQsetNoticeProcessor(
        backend->conn_, [](void*, const char*) {}, nullptr);
    // A pooler between us gives each transaction another server process: settings and prepared statements would be lost,
    // or be somebody else's.
    int process = 0;
    soci_ << "SELECT pg_backend_pid()", soci::into(process);
    if (process != PQbackendPID(backend->conn_)) throw soci::soci_error(behind_pooler);
  } else {
    // Without gap locks, two first appends to new conversations cannot lock each other out.
    soci_ << "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
    soci_ << "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'";
  }
  watch_->rest();
}

void Session::begin_call(const CallOptions& call) {
  call_ = call;
  go_on();
  milliseconds limit = statement_timeout_;
  if (call.deadline) {
    const auto left = std::chrono::ceil<milliseconds>(*call.deadline - Clock::now());
    limit = std::clamp(left, milliseconds(1), statement_timeout_);
  }
  if (limit != server_limit_) limit_statements(limit);
}

void Session::go_on() {
  const auto statement_end = Clock::now() + statement_timeout_ + statement_grace;
  watch_->begin(call_.deadline ? std::min(*call_.deadline + deadline_grace, statement_end) : statement_end);
}

void Session::limit_statements(milliseconds limit) {
  if (backend_ == Backend::postgresql) {
    soci_ << "SET statement_timeout = " << limit.count();
  } else {
    soci_ << "SET SESSION max_statement_time = " << limit.count() << " / 1000";
    soci_ << "SET SESSION innodb_lock_wait_timeout = " << std::chrono::ceil<std::chrono::seconds>(limit).count();
  }
  server_limit_ = limit;
}

Snapshot::Snapshot(soci::session& session, Backend backend) : session_(session) {
  if (backend == Backend::postgresql) {
    session_ << "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
  } else {
    session_ << "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";
    session_ << "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
  }
}

Snapshot::~Snapshot() {
  try {
    session_ << "COMMIT";
  } catch (const soci::soci_error&) {
    // The connection is gone, and the transaction with it.
  }
}

}  // namespace ctxmgr::sql
