#pragma once
#include <chrono>
#include <memory>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/timestamp.hpp"
#include "ctxmgr/ports/clock.hpp"

namespace ctxmgr::testing {

/// A clock that moves when it is told to, and when somebody sleeps on it. Both of its times begin at their epochs.
/// Thread-safety: all methods may be called from several threads at once.
class CTXMGR_API ManualClock final : public Clock {
 public:
  ManualClock();
  ~ManualClock() override;

  void advance(std::chrono::milliseconds by);

  [[nodiscard]] Timestamp now() const override;
  [[nodiscard]] std::chrono::steady_clock::time_point steady_now() const override;
  void sleep_until(std::chrono::steady_clock::time_point wake_up, const CallOptions& call) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ctxmgr::testing
