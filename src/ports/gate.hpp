#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ports/deadline.hpp"

namespace ctxmgr {

/// Lets so many callers through at a time; those who wait go when they are no longer wanted.
/// Thread-safety: all methods may be called from several threads at once.
class Gate {
 public:
  explicit Gate(std::size_t places = 1) : places_(std::max<std::size_t>(places, 1)) {}

  /// `unavailable` once a caller has waited for as long as `patience`.
  [[nodiscard]] Result<void> enter(const CallOptions& call,
                                   std::chrono::milliseconds patience = std::chrono::milliseconds::max()) {
    const auto start = std::chrono::steady_clock::now();
    while (true) {
      // Outside of the lock: whether a call is cancelled is the caller's code.
      if (auto wanted = check_wanted(call); !wanted) return wanted;
      std::unique_lock lock(mutex_);
      if (inside_ == places_) left_.wait_for(lock, std::chrono::milliseconds(20));
      if (inside_ < places_) {
        ++inside_;
        return {};
      }
      const auto waited = std::chrono::steady_clock::now() - start;
      // In milliseconds: the longest patience is beyond what nanoseconds can say.
      if (std::chrono::duration_cast<std::chrono::milliseconds>(waited) >= patience)
        return fail(ErrorCode::unavailable, "no place is free");
    }
  }

  void leave() {
    {
      const std::scoped_lock lock(mutex_);
      --inside_;
    }
    left_.notify_one();
  }

 private:
  const std::size_t places_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t inside_ = 0;
};

}  // namespace ctxmgr
