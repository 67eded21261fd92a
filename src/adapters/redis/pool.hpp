#pragma once
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "adapters/redis/connection.hpp"

namespace ctxmgr::redis {

/// A bounded number of connections, made when they are needed.
/// Thread-safety: all methods may be called from several threads at once.
class Pool {
 public:
  Pool(Url url, RedisOptions options) : url_(std::move(url)), options_(std::move(options)) {}

  /// An empty one.
  [[nodiscard]] Request request();

  /// Sends commands over a connection of their own, and gives it back if all went well: whatever failed, timed out or was
  /// cancelled on it closes it. Error replies are failures, except for NOSCRIPT.
  [[nodiscard]] Result<std::vector<Reply>> run(Request request, const CallOptions& call);

  /// Not one connection is kept that may be out of step.
  void close_idle();

 private:
  Result<std::unique_ptr<Connection>> take(const CallOptions& call);
  void give_back(std::unique_ptr<Connection> connection);
  void keep(std::string buffer);

  Url url_;
  RedisOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Connection>> idle_;  // the last used at the end
  std::vector<std::string> buffers_;               // of requests that were sent
  std::size_t in_use_ = 0;
};

}  // namespace ctxmgr::redis
