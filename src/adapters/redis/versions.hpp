#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "adapters/redis/pool.hpp"
#include "adapters/redis/script.hpp"
#include "adapters/redis/scripts.hpp"

namespace ctxmgr::redis {

/// Versions that no key has or had, reserved many at a time; and what the server keeps beside the last one of them: the
/// epoch, by which one sees that it has lost everything.
/// Thread-safety: all methods may be called from several threads at once.
class Versions {
 public:
  /// `key` is the name under which the server keeps both.
  Versions(std::string key, bool go_on_when_lost) : key_(std::move(key)), go_on_when_lost_(go_on_when_lost) {}

  [[nodiscard]] Result<std::uint64_t> draw(Pool& pool, const CallOptions& call);

  /// `bad_data` if the server is known to have lost what was written. Asks nobody.
  [[nodiscard]] Result<void> check() const;

  /// The same, after asking the server: to be called once it has said that something is not there.
  [[nodiscard]] Result<void> check_now(Pool& pool, const CallOptions& call);

 private:
  Result<void> compare(std::string epoch);

  const std::string key_;
  const bool go_on_when_lost_;
  Script reserve_{reserve_script};
  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::uint64_t left_ = 0;
  std::string epoch_;  // empty: not known yet
  bool lost_ = false;
};

}  // namespace ctxmgr::redis
