#pragma once
#include <chrono>
#include <cstddef>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/clock.hpp"

namespace ctxmgr {

/// Whether a caller's time is up, by this clock.
[[nodiscard]] inline bool is_over(const CallOptions& call, const Clock& clock) {
  return call.deadline && clock.steady_now() >= *call.deadline;
}

/// The same by the machine's clock, where there is no other.
[[nodiscard]] inline bool is_over(const CallOptions& call) {
  return call.deadline && std::chrono::steady_clock::now() >= *call.deadline;
}

/// Why a call is no longer wanted; an empty result: it is.
[[nodiscard]] inline Result<void> check_wanted(const CallOptions& call) {
  if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "cancelled by the caller");
  if (is_over(call)) return fail(ErrorCode::deadline_exceeded, "deadline passed");
  return {};
}

/// The same at this time, by a clock of the host's.
[[nodiscard]] inline Result<void> check_wanted(const CallOptions& call, std::chrono::steady_clock::time_point now) {
  if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "cancelled by the caller");
  if (call.deadline && now >= *call.deadline) return fail(ErrorCode::deadline_exceeded, "deadline passed");
  return {};
}

/// Says between pieces of work whether there is time for the next, and looks at the clock once for so many bytes only:
/// what is done in a moment is done whatever the deadline says. Both arguments outlive it. Thread-safety: none.
class Pace {
 public:
  Pace(const CallOptions& call, const Clock& clock) : call_(call), clock_(clock) {}

  /// Whether work on so many more bytes may begin. Once it may not, it never may again.
  [[nodiscard]] bool allows(std::size_t bytes) {
    if (over_) return false;
    if (bytes <= left_) {
      left_ -= bytes;
      return true;
    }
    over_ = is_over(call_, clock_);
    left_ = bytes_between_looks;
    return !over_;
  }

  /// Whether it was over when last looked at.
  [[nodiscard]] bool was_over() const { return over_; }

  static constexpr std::size_t bytes_between_looks = std::size_t{256} << 10;

 private:
  const CallOptions& call_;
  const Clock& clock_;
  std::size_t left_ = bytes_between_looks;
  bool over_ = false;
};

}  // namespace ctxmgr
