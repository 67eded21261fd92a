#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ports/deadline.hpp"

namespace ctxmgr::sqlite {

/// Why a call is no longer wanted; nullopt: it is.
[[nodiscard]] inline std::optional<Error> not_wanted(const CallOptions& call) {
  if (call.cancellation.is_cancelled()) return Error{ErrorCode::cancelled, "cancelled by the caller", {}};
  if (is_over(call)) {
    return Error{ErrorCode::deadline_exceeded, "deadline passed", {}};
  }
  return std::nullopt;
}

/// Lets one caller through at a time; those who wait go when they are no longer wanted.
/// Thread-safety: all methods may be called from several threads at once.
class Gate {
 public:
  [[nodiscard]] Result<void> enter(const CallOptions& call) {
    if (auto error = not_wanted(call)) return tl::unexpected(*std::move(error));
    std::unique_lock lock(mutex_);
    while (occupied_) {
      left_.wait_for(lock, std::chrono::milliseconds(20));
      if (!occupied_) break;
      lock.unlock();  // the predicate is the caller's code
      auto error = not_wanted(call);
      lock.lock();
      if (error) return tl::unexpected(*std::move(error));
    }
    occupied_ = true;
    return {};
  }

  void leave() {
    {
      const std::scoped_lock lock(mutex_);
      occupied_ = false;
    }
    left_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  bool occupied_ = false;
};

}  // namespace ctxmgr::sqlite
