#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "adapters/redis/cluster.hpp"
#include "adapters/redis/connection.hpp"
#include "adapters/servers/connection_pool.hpp"

namespace ctxmgr::redis {

/// A bounded number of connections, made when they are needed, to a server or to the nodes of a cluster.
/// Thread-safety: all methods may be called from several threads at once.
class Pool {
 public:
  Pool(Url url, RedisOptions options)
      : url_(std::move(url)), options_(std::move(options)), connections_(options_.max_connections) {}

  /// An empty one.
  [[nodiscard]] Request request();

  /// Sends commands that are all about keys in the slot of `key` over a connection of their own, and gives it back if
  /// all went well: whatever failed, timed out or was cancelled on it closes it. Error replies are failures, except for
  /// NOSCRIPT. Where another node serves the slot, nothing has been done, and the commands go there, now and later.
  [[nodiscard]] Result<std::vector<Reply>> run(Request request, std::string_view key, const CallOptions& call);

  /// Not one connection is kept that may be out of step.
  void close_idle() { connections_.close_idle(); }

 private:
  struct Link {
    Address at;
    std::unique_ptr<Connection> connection;
  };

  Result<std::vector<Reply>> follow(const Request& request, std::string_view key, const CallOptions& call);
  Result<std::vector<Reply>> ask(const Address& at, const Request& request, const CallOptions& call);
  Address address_of(std::string_view key);
  void forget(const Address& at);
  Result<Link> take(const Address& at, const CallOptions& call);
  Result<Link> open(const Address& at, const CallOptions& call);
  Result<void> warn_of_eviction(Connection& connection, const Address& at, const CallOptions& call);
  void keep(std::string buffer);

  Url url_;
  RedisOptions options_;
  ConnectionPool<Link> connections_;
  std::mutex mutex_;
  std::map<int, Address> moved_;      // by slot: what the server of the URL does not serve
  std::vector<std::string> buffers_;  // of requests that were sent
  std::vector<Address> asked_;        // what they do when their memory is full
};

}  // namespace ctxmgr::redis
