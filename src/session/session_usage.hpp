#pragma once
#include <cstddef>
#include <functional>
#include <mutex>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr {

/// How much a session holds: counted now and then, in between estimated from what this process writes, never too low by
/// its own doing.
/// Thread-safety: all methods may be called from several threads at once.
class SessionUsage {
 public:
  explicit SessionUsage(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  struct Counted {
    std::size_t bytes = 0;
    std::size_t entries = 0;
  };

  /// Takes room for a write: `limit_exceeded` if there is none. `count` asks the store.
  [[nodiscard]] Result<void> charge(std::size_t bytes, const std::function<Result<Counted>()>& count);

  /// Something was erased: the next write counts anew before it is refused.
  void recount();

 private:
  enum class Answer { granted, refused, count_first };
  Answer try_charge(std::size_t bytes);

  // How many writes, or refusals, go by between two counts, at least. The more there is to count, the more: so that a
  // write pays for the counting of a few entries, however many there are.
  static constexpr std::size_t writes_between_counts = 256;
  static constexpr std::size_t refusals_between_counts = 16;
  static constexpr std::size_t entries_counted_per_write = 4;

  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::size_t used_bytes_ = 0;
  std::size_t writes_left_ = 0;  // 0: count first
  std::size_t refusals_left_ = 0;
};

}  // namespace ctxmgr
