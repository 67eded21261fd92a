#pragma once
#include <soci/soci.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/servers/connection_pool.hpp"
#include "adapters/sql/session.hpp"
#include "adapters/sql/url.hpp"
#include "adapters/sql/watchdog.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sql {

/// What a database's refusal means to the caller. Never repeats its message, which may quote data or the URL.
[[nodiscard]] Error to_error(const soci::soci_error& error);

/// Up to `size` connections, opened when needed.
/// Thread-safety: all methods may be called from several threads at once.
class SessionPool {
 public:
  SessionPool(Connection connection, std::size_t size, std::chrono::milliseconds connect_timeout,
              std::chrono::milliseconds statement_timeout)
      : connection_(std::move(connection)),
        connect_timeout_(connect_timeout),
        statement_timeout_(statement_timeout),
        sessions_(size) {}
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;
  /// Waits for connections that are being opened: they give up in their own time.
  ~SessionPool();

  [[nodiscard]] Backend backend() const { return connection_.backend; }

  /// A session for one caller; it goes back with `give_back`, or is dropped by destroying it and calling `forget`.
  [[nodiscard]] Result<std::unique_ptr<Session>> take(const CallOptions& call);
  void give_back(std::unique_ptr<Session> session);
  void forget() { sessions_.give_back(std::nullopt); }
  /// One connection was lost: those that nobody uses are likely to be, too.
  void close_idle() { sessions_.close_idle(); }

 private:
  /// A connection on its way. Whoever wanted it may be gone when it comes.
  struct Opening {
    std::thread thread{};
    bool done = false;
    bool abandoned = false;
    Result<std::unique_ptr<Session>> result{};
  };

  Result<std::unique_ptr<Session>> open();
  Result<std::unique_ptr<Session>> open_until(const CallOptions& call);

  const Connection connection_;
  const std::chrono::milliseconds connect_timeout_;
  const std::chrono::milliseconds statement_timeout_;
  Watchdog watchdog_;
  ConnectionPool<std::unique_ptr<Session>> sessions_;  ///< Those on their way have a place.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Opening>> openings_;
};

}  // namespace ctxmgr::sql
