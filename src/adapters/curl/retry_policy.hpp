#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>

/// \file
/// How long to wait before another attempt, and whether one may be made at all.
namespace ctxmgr {

/// A service that asks for more patience than this is not waited for: its caller is told instead.
inline constexpr std::chrono::milliseconds max_retry_after{120'000};

/// Exponential backoff with jitter, as in the OpenAI SDK: 0.5 s, 1 s, 2 s … up to 8 s, times `fraction` of 0.25 to 1.
/// `retry` counts from 0.
[[nodiscard]] inline std::chrono::milliseconds backoff_delay(int retry, double fraction) {
  const std::int64_t longest = std::int64_t{500} << std::clamp(retry, 0, 4);
  return std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(longest) * fraction));
}

/// Pseudo-random numbers in [0.25, 1), for jitter only (SplitMix64).
class Jitter {
 public:
  explicit Jitter(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] double fraction() {
    state_ += 0x9e3779b97f4a7c15U;
    auto z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return 0.25 + 0.75 * (static_cast<double>(z >> 11U) * 0x1.0p-53);
  }

 private:
  std::uint64_t state_;
};

/// Keeps retries from multiplying the load on a service that is down: a bucket of 10 tokens, one less for a failure
/// (two for a timeout), a tenth more for a success, no retries at 5 or below (gRPC proposal A6); and at most 3 retries
/// or a fifth of the calls in flight at a time, whichever is more (Envoy's retry budget). One for each client.
/// Thread-safety: all methods may be called from several threads at once.
class RetryBudget {
 public:
  void on_success() {
    const std::lock_guard lock(mutex_);
    tenths_ = std::min(tenths_ + 1, full);
  }

  void on_failure(bool timed_out) {
    const std::lock_guard lock(mutex_);
    tenths_ = std::max(tenths_ - (timed_out ? 20 : 10), 0);
  }

  /// Whether a retry may begin; then `release` when it is over.
  [[nodiscard]] bool acquire(std::size_t calls_in_flight) {
    const std::lock_guard lock(mutex_);
    if (tenths_ <= full / 2 || retries_ >= std::max<std::size_t>(3, calls_in_flight / 5)) return false;
    ++retries_;
    return true;
  }

  void release() {
    const std::lock_guard lock(mutex_);
    --retries_;
  }

  /// For `backoff_delay`.
  [[nodiscard]] double jitter() {
    const std::lock_guard lock(mutex_);
    return jitter_.fraction();
  }

 private:
  static constexpr int full = 100;

  std::mutex mutex_;
  int tenths_ = full;
  std::size_t retries_ = 0;
  Jitter jitter_{std::random_device{}()};  // Too slow to be drawn for each call.
};

}  // namespace ctxmgr
