#include "ctxmgr/ports/clock.hpp"

#include <algorithm>
#include <thread>

namespace ctxmgr {
namespace {

// Below the 50 ms that the port promises, with room for a busy machine.
constexpr std::chrono::milliseconds longest_nap{20};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override { return std::chrono::system_clock::now(); }

  std::chrono::steady_clock::time_point steady_now() const override { return std::chrono::steady_clock::now(); }

  void sleep_until(std::chrono::steady_clock::time_point wake_up, const CallOptions& call) override {
    if (call.deadline) wake_up = std::min(wake_up, *call.deadline);
    while (!call.cancellation.is_cancelled()) {
      const auto time = steady_now();
      if (time >= wake_up) return;
      std::this_thread::sleep_until(std::min(wake_up, time + longest_nap));
    }
  }
};

}  // namespace

Clock::~Clock() = default;

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

}  // namespace ctxmgr
