#pragma once
#include <soci/soci.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "adapters/sql/url.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sql {

/// What a database's refusal means to the caller. Never repeats its message, which may quote data or the URL.
[[nodiscard]] Error to_error(const soci::soci_error& error);

/// A connection, and the time limit that its statements have now.
struct Session {
  soci::session soci{};
  std::chrono::milliseconds statement_timeout{};
};

/// Up to `size` connections, opened when needed.
/// Thread-safety: all methods may be called from several threads at once.
class SessionPool {
 public:
  SessionPool(Connection connection, std::size_t size, std::chrono::milliseconds statement_timeout)
      : connection_(std::move(connection)), size_(size), statement_timeout_(statement_timeout) {}

  [[nodiscard]] Backend backend() const { return connection_.backend; }

  /// A session for one caller; it goes back with `give_back`, or is dropped by destroying it and calling `forget`.
  [[nodiscard]] Result<std::unique_ptr<Session>> take(const CallOptions& call);
  void give_back(std::unique_ptr<Session> session);
  void forget();

 private:
  Result<std::unique_ptr<Session>> open() const;
  void limit_statements(Session& session, const CallOptions& call) const;

  const Connection connection_;
  const std::size_t size_;
  const std::chrono::milliseconds statement_timeout_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Session>> idle_;
  std::size_t in_use_ = 0;
};

}  // namespace ctxmgr::sql
