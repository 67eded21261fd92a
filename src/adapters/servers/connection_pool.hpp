#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ports/gate.hpp"

namespace ctxmgr {

/// Up to `size` connections at once, which callers open themselves. Those that nobody uses are kept for the next caller.
/// Thread-safety: all methods may be called from several threads at once.
template <class Connection>
class ConnectionPool {
 public:
  explicit ConnectionPool(std::size_t size) : size_(size), gate_(size) {}

  /// A place, and the last used connection that `fits` and `works`, if there is one; one that fits and no longer works is
  /// closed. The place goes back with give_back(). Errors of `Gate::enter()`.
  template <class Fits, class Works>
  [[nodiscard]] Result<std::optional<Connection>> take(const CallOptions& call, std::chrono::milliseconds patience,
                                                       Fits fits, Works works) {
    if (auto entered = gate_.enter(call, patience); !entered) return tl::unexpected(entered.error());
    const std::scoped_lock lock(mutex_);
    ++in_use_;
    for (auto i = idle_.size(); i-- > 0;) {
      if (!fits(idle_[i])) continue;
      std::optional<Connection> found(std::move(idle_[i]));
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
      if (works(*found)) return found;
    }
    // The caller opens another one: the one that was used least lately makes room.
    if (!idle_.empty() && in_use_ + idle_.size() > size_) idle_.erase(idle_.begin());
    return std::optional<Connection>();
  }

  /// Nothing: it was closed, or never opened.
  void give_back(std::optional<Connection> connection) {
    {
      const std::scoped_lock lock(mutex_);
      --in_use_;
      if (connection) idle_.push_back(*std::move(connection));
    }
    gate_.leave();
  }

  void close_idle() {
    std::vector<Connection> closed;
    const std::scoped_lock lock(mutex_);
    closed.swap(idle_);
  }

 private:
  const std::size_t size_;
  Gate gate_;
  std::mutex mutex_;
  std::vector<Connection> idle_;  ///< The last used at the end.
  std::size_t in_use_ = 0;
};

}  // namespace ctxmgr
