#include "ctxmgr/testing/manual_clock.hpp"

#include <algorithm>
#include <mutex>

namespace ctxmgr::testing {

struct ManualClock::Impl {
  mutable std::mutex mutex;
  std::chrono::steady_clock::duration elapsed{};
};

ManualClock::ManualClock() : impl_(std::make_unique<Impl>()) {}
ManualClock::~ManualClock() = default;

void ManualClock::advance(std::chrono::milliseconds by) {
  const std::lock_guard lock(impl_->mutex);
  impl_->elapsed += std::max(by, std::chrono::milliseconds::zero());  // time does not go back
}

Timestamp ManualClock::now() const {
  return Timestamp(std::chrono::duration_cast<Timestamp::duration>(steady_now().time_since_epoch()));
}

std::chrono::steady_clock::time_point ManualClock::steady_now() const {
  const std::lock_guard lock(impl_->mutex);
  return std::chrono::steady_clock::time_point(impl_->elapsed);
}

void ManualClock::sleep_until(std::chrono::steady_clock::time_point wake_up, const CallOptions& call) {
  if (call.cancellation.is_cancelled()) return;
  if (call.deadline) wake_up = std::min(wake_up, *call.deadline);
  const std::lock_guard lock(impl_->mutex);
  impl_->elapsed = std::max(impl_->elapsed, wake_up.time_since_epoch());
}

}  // namespace ctxmgr::testing
