#include "adapters/sql/session_pool.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/signals_blocked.hpp"
#include "ports/deadline.hpp"

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
    {behind_pooler, ErrorCode::invalid_argument,
     "the database is behind a connection pooler, which is not supported: connect to the server itself"},
    {"No space left", ErrorCode::limit_exceeded, "the server's disk is full"},
    {"is full", ErrorCode::limit_exceeded, "the server's disk or table is full"},
    {"read-only transaction", ErrorCode::unavailable, "the database server takes no writes now"},
    {"READ ONLY transaction", ErrorCode::unavailable, "the database server takes no writes now"},
    {"--read-only option", ErrorCode::unavailable, "the database server takes no writes now"},
    {"Access denied", ErrorCode::denied, "the database server denies access"},
    {"command denied", ErrorCode::denied, "the database server denies access"},
    {"authentication failed", ErrorCode::denied, "the database server denies access"},
    {"permission denied", ErrorCode::denied, "the database server denies access"},
    {"Unknown database", ErrorCode::not_found, "no such database on the server: create it first"},
    {"does not exist", ErrorCode::not_found,
     "no such database, role or table on the server: a store makes its tables, not the database and its user"},
};

tl::unexpected<Error> no_threads() {
  return fail(ErrorCode::unavailable, "no thread can be started for connections to the database server");
}

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

SessionPool::~SessionPool() {
  for (const auto& opening : openings_) opening->thread.join();
}

Result<std::unique_ptr<Session>> SessionPool::take(const CallOptions& call) {
  const auto any = [](const auto&) { return true; };
  auto idle = sessions_.take(call, std::chrono::milliseconds::max(), any, any);
  if (!idle) return tl::unexpected(idle.error());
  if (*idle) return **std::move(idle);
  if (call.deadline) return open_until(call);
  auto opened = open();
  if (!opened) forget();
  return opened;
}

/// The clients know no deadline while they connect, so the caller waits beside.
Result<std::unique_ptr<Session>> SessionPool::open_until(const CallOptions& call) {
  const auto has_ended = [](const std::shared_ptr<Opening>& opening) {
    if (!opening->done) return false;
    opening->thread.join();
    return true;
  };
  const auto opening = std::make_shared<Opening>();
  const auto open_beside = [this, opening] {
    auto result = open();
    std::unique_lock lock(mutex_);
    opening->done = true;
    if (!opening->abandoned) {
      opening->result = std::move(result);
      return changed_.notify_all();
    }
    lock.unlock();
    sessions_.give_back(result ? std::optional(*std::move(result)) : std::nullopt);
  };
  std::unique_lock lock(mutex_);
  openings_.erase(std::remove_if(openings_.begin(), openings_.end(), has_ended), openings_.end());
  openings_.push_back(opening);
  try {
    const SignalsBlocked blocked;
    opening->thread = std::thread(open_beside);
  } catch (const std::system_error&) {
    openings_.pop_back();
    forget();
    return no_threads();
  }
  while (!opening->done) {
    changed_.wait_until(lock, std::min(*call.deadline, std::chrono::steady_clock::now() + poll_interval));
    lock.unlock();  // whether a call is cancelled is the caller's code
    const auto wanted = check_wanted(call);
    lock.lock();
    if (wanted || opening->done) continue;
    opening->abandoned = true;
    return tl::unexpected(wanted.error());
  }
  if (!opening->result) forget();
  return std::move(opening->result);
}

void SessionPool::give_back(std::unique_ptr<Session> session) {
  session->end_call();
  sessions_.give_back(session->timed_out() ? std::nullopt : std::optional(std::move(session)));
}

Result<std::unique_ptr<Session>> SessionPool::open() {
  try {
    return std::make_unique<Session>(connection_, watchdog_, connect_timeout_, statement_timeout_);
  } catch (const soci::soci_error& error) {
    auto mapped = to_error(error);
    if (mapped.code == ErrorCode::unavailable) mapped.message += connection_.place;
    return tl::unexpected(std::move(mapped));
  } catch (const std::system_error&) {
    return no_threads();
  } catch (const std::exception&) {
    return fail(ErrorCode::internal, "the database client threw");
  }
}

}  // namespace ctxmgr::sql
