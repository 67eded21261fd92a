#include "adapters/sql/session_pool.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ports/conversation_checks.hpp"

namespace ctxmgr::sql {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds poll_interval{50};

struct Phrase {
  std::string_view text;
  ErrorCode code;
  const char* message;
};

// SOCI 4.0 does not tell these apart by category. Phrases of PostgreSQL 15 and MariaDB 10.11, in English; where a
// server speaks another language, the category below decides.
constexpr Phrase phrases[] = {
    {"statement timeout", ErrorCode::deadline_exceeded, "the statement took too long"},
    {"max_statement_time", ErrorCode::deadline_exceeded, "the statement took too long"},
    {"Lock wait timeout", ErrorCode::deadline_exceeded, "the conversation was locked for too long"},
    {"max_allowed_packet", ErrorCode::limit_exceeded, "too large for the server's max_allowed_packet"},
    {"No space left", ErrorCode::limit_exceeded, "the server's disk is full"},
    {"is full", ErrorCode::limit_exceeded, "the server's disk or table is full"},
    {"Access denied", ErrorCode::denied, "the database server denies access"},
    {"command denied", ErrorCode::denied, "the database server denies access"},
    {"authentication failed", ErrorCode::denied, "the database server denies access"},
    {"permission denied", ErrorCode::denied, "the database server denies access"},
    {"Unknown database", ErrorCode::not_found, "no such database on the server"},
    {"does not exist", ErrorCode::not_found, "no such database, role or table on the server"},
};

}  // namespace

Error to_error(const soci::soci_error& error) {
  const std::string message = error.get_error_message();
  for (const auto& phrase : phrases) {
    if (message.find(phrase.text) != std::string::npos) return {phrase.code, phrase.message, {}};
  }
  switch (error.get_error_category()) {
    case soci::soci_error::no_privilege: return {ErrorCode::denied, "the database server denies access", {}};
    case soci::soci_error::invalid_statement:
      return {ErrorCode::internal, "the database server refused a statement", {}};
    default: return {ErrorCode::unavailable, "the database server is not available", {}};
  }
}

Result<std::unique_ptr<Session>> SessionPool::take(const CallOptions& call) {
  std::unique_ptr<Session> session;
  {
    std::unique_lock lock(mutex_);
    while (idle_.empty() && in_use_ >= size_) {
      if (auto wanted = conversation::check_call(call); !wanted) return tl::unexpected(wanted.error());
      returned_.wait_for(lock, poll_interval);
    }
    ++in_use_;
    if (!idle_.empty()) {
      session = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  try {
    if (!session) {
      auto opened = open();
      if (!opened) {
        forget();
        return opened;
      }
      session = std::move(*opened);
    }
    limit_statements(*session, call);
    return session;
  } catch (const soci::soci_error& error) {
    forget();
    return tl::unexpected(to_error(error));
  }
}

void SessionPool::give_back(std::unique_ptr<Session> session) {
  const std::scoped_lock lock(mutex_);
  --in_use_;
  idle_.push_back(std::move(session));
  returned_.notify_one();
}

void SessionPool::forget() {
  const std::scoped_lock lock(mutex_);
  --in_use_;
  returned_.notify_one();
}

Result<std::unique_ptr<Session>> SessionPool::open() const {
  auto session = std::make_unique<Session>();
  session->soci.open(backend() == Backend::postgresql ? "postgresql" : "mysql", connection_.parameters);
  if (backend() == Backend::mysql) {
    // Without gap locks, two first appends to new conversations cannot lock each other out.
    session->soci << "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
    session->soci << "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'";
  } else {
    session->soci << "SET client_min_messages = error";  // libpq prints the rest on the host's stderr
  }
  return session;
}

void SessionPool::limit_statements(Session& session, const CallOptions& call) const {
  milliseconds limit = statement_timeout_;
  if (call.deadline) {
    const auto left = std::chrono::ceil<milliseconds>(*call.deadline - std::chrono::steady_clock::now());
    limit = std::clamp(left, milliseconds(1), statement_timeout_);
  }
  if (limit == session.statement_timeout) return;
  if (backend() == Backend::postgresql) {
    session.soci << "SET statement_timeout = " << limit.count();
  } else {
    session.soci << "SET SESSION max_statement_time = " << limit.count() << " / 1000";
    session.soci << "SET SESSION innodb_lock_wait_timeout = " << std::chrono::ceil<std::chrono::seconds>(limit).count();
  }
  session.statement_timeout = limit;
}

}  // namespace ctxmgr::sql
