#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "adapters/clients/safe_calls.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

constexpr milliseconds poll_interval{20};

/// Lets `max` in at a time, in the order in which they came.
class Turnstile {
 public:
  explicit Turnstile(std::size_t max) : max_(max) {}

  /// For `count` calls at once, which may not exceed the maximum. `gone` is polled, and its error ends the wait.
  template <class Gone>
  std::optional<Error> enter(std::size_t count, const Gone& gone) {
    std::unique_lock lock(mutex_);
    const auto ticket = next_ticket_++;
    waiting_.push_back(ticket);
    while (waiting_.front() != ticket || inside_ + count > max_) {
      if (auto error = gone()) {
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
        changed_.notify_all();
        return error;
      }
      changed_.wait_for(lock, poll_interval);
    }
    waiting_.pop_front();
    inside_ += count;
    changed_.notify_all();
    return std::nullopt;
  }

  void leave(std::size_t count) {
    const std::lock_guard lock(mutex_);
    inside_ -= count;
    changed_.notify_all();
  }

 private:
  const std::size_t max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> waiting_;
  std::uint64_t next_ticket_ = 0;
  std::size_t inside_ = 0;
};

/// When the next calls may begin: the generic cell rate algorithm (ITU-T I.371), with bursts.
class Pace {
 public:
  Pace(std::size_t calls_per_minute, std::size_t burst)
      : interval_(calls_per_minute == 0 ? std::chrono::nanoseconds::zero()
                                        : std::chrono::nanoseconds(std::chrono::minutes(1)) /
                                              static_cast<std::int64_t>(calls_per_minute)),
        tolerance_(interval_ * static_cast<std::int64_t>(burst)) {}

  /// Reserves; nothing where it would be after `latest`.
  std::optional<TimePoint> reserve(std::size_t count, TimePoint now, std::optional<TimePoint> latest) {
    const std::lock_guard lock(mutex_);
    const auto next = std::max(next_, now) + interval_ * static_cast<std::int64_t>(count);
    const auto start = std::max(now, next - tolerance_);
    if (latest && start > *latest) return std::nullopt;
    next_ = next;
    return start;
  }

 private:
  const std::chrono::nanoseconds interval_;
  const std::chrono::nanoseconds tolerance_;
  std::mutex mutex_;
  TimePoint next_{};
};

class LimitedLlmClient final : public LlmClient {
 public:
  LimitedLlmClient(std::shared_ptr<LlmClient> inner, const LimitOptions& options)
      : inner_(required(std::move(inner))),
        clock_(options.clock ? options.clock : make_system_clock()),
        max_parallel_(std::max<std::size_t>(options.max_parallel, 1)),
        turnstile_(max_parallel_),
        pace_(options.max_calls_per_minute, max_parallel_) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    if (auto error = enter(1, call)) return tl::unexpected<Error>(*std::move(error));
    auto result = complete_safely(*inner_, request, call);
    turnstile_.leave(1);
    return result;
  }

  /// In batches of what may run at a time.
  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    std::vector<Result<LlmResponse>> results;
    results.reserve(requests.size());
    for (auto next = requests.begin(); next != requests.end();) {
      const auto count = std::min(max_parallel_, static_cast<std::size_t>(requests.end() - next));
      const auto end = next + static_cast<std::ptrdiff_t>(count);
      for (auto& result : complete_batch({next, end}, call)) results.push_back(std::move(result));
      next = end;
    }
    return results;
  }

 private:
  std::vector<Result<LlmResponse>> complete_batch(const std::vector<LlmRequest>& requests, const CallOptions& call) {
    if (const auto error = enter(requests.size(), call)) return fail_all(requests.size(), *error);
    auto results = complete_all_safely(*inner_, requests, call);
    turnstile_.leave(requests.size());
    return results;
  }

  std::optional<Error> enter(std::size_t count, const CallOptions& call) {
    if (auto error = turnstile_.enter(count, [&] { return gone(call); })) return error;
    const auto start = pace_.reserve(count, clock_->steady_now(), call.deadline);
    if (start) clock_->sleep_until(*start, call);
    auto error = start ? gone(call) : Error{ErrorCode::deadline_exceeded, "no turn within the deadline", {}};
    if (error) turnstile_.leave(count);
    return error;
  }

  [[nodiscard]] std::optional<Error> gone(const CallOptions& call) const {
    if (call.cancellation.is_cancelled()) return Error{ErrorCode::cancelled, "cancelled while waiting for a turn", {}};
    if (call.deadline && clock_->steady_now() >= *call.deadline) {
      return Error{ErrorCode::deadline_exceeded, "the deadline passed while waiting for a turn", {}};
    }
    return std::nullopt;
  }

  const std::shared_ptr<LlmClient> inner_;
  const std::shared_ptr<Clock> clock_;
  const std::size_t max_parallel_;
  Turnstile turnstile_;
  Pace pace_;
};

}  // namespace

std::unique_ptr<LlmClient> make_limited_llm_client(std::shared_ptr<LlmClient> inner, const LimitOptions& options) {
  return std::make_unique<LimitedLlmClient>(std::move(inner), options);
}

}  // namespace ctxmgr
