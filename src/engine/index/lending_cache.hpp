#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace ctxmgr::engine {

/// What calls read of something that grows, kept for the next call, least recently used out first. A call takes what it can use
/// out, and puts it back grown; who finds nothing makes it anew. So it affects time, never results.
/// Thread-safety: all methods may be called from several threads at once.
template <class Value>
class LendingCache {
 public:
  /// What takes more than `max_bytes` by itself is not kept.
  explicit LendingCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// The value of which `fit` is the largest, the most recently used of several; nothing where it is 0 for all.
  template <class Fit>
  [[nodiscard]] std::optional<Value> take(Fit fit) {
    const std::lock_guard lock(mutex_);
    std::size_t most = 0;
    auto best = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      const std::size_t fits = fit(std::as_const(entry->first));
      if (fits <= most) continue;
      most = fits;
      best = entry;
    }
    if (best == entries_.end()) return std::nullopt;
    std::optional<Value> taken(std::move(best->first));
    bytes_ -= best->second;
    entries_.erase(best);
    return taken;
  }

  /// `is_same`: of a kept value and this one, whether only one need be kept. Another call made it meanwhile.
  template <class IsSame>
  void put(Value value, std::size_t bytes, IsSame is_same) {
    Entries dropped;  // They go behind the lock, so that others need not wait for it.
    const std::lock_guard lock(mutex_);
    if (bytes > max_bytes_) return;
    const auto drop = [&](auto entry) {
      bytes_ -= entry->second;
      dropped.splice(dropped.end(), entries_, entry);
    };
    const auto same = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const auto& entry) { return is_same(entry.first, std::as_const(value)); });
    if (same != entries_.end()) drop(same);
    entries_.emplace_front(std::move(value), bytes);
    bytes_ += bytes;
    while (bytes_ > max_bytes_) drop(std::prev(entries_.end()));
  }

 private:
  using Entries = std::list<std::pair<Value, std::size_t>>;  ///< Values with their bytes.

  const std::size_t max_bytes_;
  std::mutex mutex_;
  Entries entries_;  ///< The most recently used first. Few: one for each active thread.
  std::size_t bytes_ = 0;
};

}  // namespace ctxmgr::engine
