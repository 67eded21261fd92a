#pragma once
#include <chrono>
#include <memory>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/timestamp.hpp"

namespace ctxmgr {

/// Port: time and sleep, so that tests need neither. Called from several threads at once. Must not throw.
class CTXMGR_API Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock();

  [[nodiscard]] virtual Timestamp now() const = 0;
  [[nodiscard]] virtual std::chrono::steady_clock::time_point steady_now() const = 0;

  /// Returns at `wake_up`, or within 50 ms of cancellation or of the deadline, whichever comes first.
  virtual void sleep_until(std::chrono::steady_clock::time_point wake_up, const CallOptions& call) = 0;
};

/// The machine's clocks.
[[nodiscard]] CTXMGR_API std::unique_ptr<Clock> make_system_clock();

}  // namespace ctxmgr
