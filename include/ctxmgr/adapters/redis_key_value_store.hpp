#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

struct RedisOptions {
  /// redis://[user[:password]@]host[:port][/database]; percent-encoding where needed, IPv6 in brackets. rediss:// for TLS
  /// 1.2 or later, where this was built with OpenSSL. User and password are never printed.
  std::string url = "redis://127.0.0.1:6379/0";

  std::string ca_file{};  ///< PEM file of the authorities to trust instead of the system's.

  /// Begins the name of every key on the server. No braces.
  std::string key_prefix = "ctxmgr:";

  std::chrono::milliseconds connect_timeout{2'000};

  /// How long the server may be silent, and how long to wait for a free connection. A reply that comes in pieces may take
  /// ten times as long.
  std::chrono::milliseconds socket_timeout{1'000};
  std::size_t max_connections = 16;  ///< Most connections to all nodes together.

  /// For a server that has lost what was written: restarted without persistence, flushed, or evicting. False, for state: every
  /// call is `bad_data` until the store is opened again. True, for caches: lost keys are absent. A store that has written
  /// or read before notices it when it finds a key absent, lists, or writes a lot.
  bool go_on_when_lost = false;

  /// Hears a `warning`, once for each server, if that may evict what a store that refuses losses holds: when the first
  /// connection is made, which takes a round trip more. A server that does not tell its INFO is not warned of. Null: nobody.
  std::shared_ptr<Observer> observer{};
};

/// A store on a Redis server (5.0 or later), shared between processes and machines. As durable as the server's
/// configuration; for state, the server must not evict (`maxmemory-policy noeviction`). Connects on first use, and again
/// whenever a connection was lost: a failed call is `unavailable`, never a reply to another question. A value that the
/// server evicted is `bad_data`, not absent. The server may be a node of a cluster: one namespace lies in one slot,
/// whose node is found by redirection (with the same user, password and TLS).
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<KeyValueStore>> make_redis_key_value_store(const RedisOptions& options);

}  // namespace ctxmgr
