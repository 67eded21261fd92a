#include <algorithm>
#include <deque>
#include <mutex>
#include <random>
#include <utility>

#include "adapters/clients/retry_policy.hpp"
#include "adapters/clients/safe_calls.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

// LiteLLM's cooldown rules.
constexpr milliseconds window{30'000};
constexpr std::size_t least_calls = 5;  // Fewer in the window say nothing.
constexpr double failure_share = 0.5;
constexpr milliseconds first_open{5'000};
constexpr milliseconds longest_open{60'000};

enum class Pass { all, one_probe, none };

bool failed_with(const Result<LlmResponse>& result, ErrorCode code) { return !result && result.error().code == code; }

/// Closed, open, or letting one call at a time through to see. Guarded by its owner.
class Circuit {
 public:
  Pass pass(TimePoint now) {
    if (!is_open_) return Pass::all;
    if (now < open_until_ || is_probing_) return Pass::none;
    is_probing_ = true;
    return Pass::one_probe;
  }

  [[nodiscard]] milliseconds closed_in(TimePoint now) const {
    const auto left = std::chrono::duration_cast<milliseconds>(open_until_ - now);
    return std::max(left, milliseconds(1));
  }

  void report(const Result<LlmResponse>& result, bool is_probe, TimePoint now) {
    if (is_probe) is_probing_ = false;
    const bool is_unavailable = failed_with(result, ErrorCode::unavailable);
    if (failed_with(result, ErrorCode::denied) || (is_probe && is_unavailable)) return open(now);
    if (!result && !is_unavailable) return;  // Says nothing about the service.
    if (is_probe) return close();
    outcomes_.push_back({now, is_unavailable});
    failures_ += is_unavailable ? 1U : 0U;
    forget_before(now - window);
    if (!is_open_ && outcomes_.size() >= least_calls &&
        static_cast<double>(failures_) > failure_share * static_cast<double>(outcomes_.size())) {
      open(now);
    }
  }

 private:
  struct Outcome {
    TimePoint at;
    bool failed;
  };

  /// The replies of one batch open it once, whatever their number.
  void open(TimePoint now) {
    if (is_open_ && now < open_until_) return;
    is_open_ = true;
    const auto length = std::min(longest_open, first_open * (1 << std::min(times_opened_, 10)));
    ++times_opened_;
    const double spread = 0.8 + (jitter_.fraction() - 0.25) * (0.4 / 0.75);  // So that clients do not probe in step.
    open_until_ = now + milliseconds(static_cast<milliseconds::rep>(static_cast<double>(length.count()) * spread));
  }

  void close() {
    is_open_ = false;
    times_opened_ = 0;
    outcomes_.clear();
    failures_ = 0;
  }

  void forget_before(TimePoint oldest) {
    while (!outcomes_.empty() && outcomes_.front().at < oldest) {
      failures_ -= outcomes_.front().failed ? 1U : 0U;
      outcomes_.pop_front();
    }
  }

  Jitter jitter_{std::random_device{}()};
  std::deque<Outcome> outcomes_;
  std::size_t failures_ = 0;
  bool is_open_ = false;
  bool is_probing_ = false;
  int times_opened_ = 0;
  TimePoint open_until_{};
};

class CircuitBreakingLlmClient final : public LlmClient {
 public:
  CircuitBreakingLlmClient(std::shared_ptr<LlmClient> inner, std::shared_ptr<Clock> clock)
      : inner_(required(std::move(inner))), clock_(clock ? std::move(clock) : make_system_clock()) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    const auto pass = this->pass();
    if (pass == Pass::none) return tl::unexpected<Error>(is_down());
    auto result = complete_safely(*inner_, request, call);
    report(result, pass == Pass::one_probe);
    return result;
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    if (requests.empty()) return {};
    const auto pass = this->pass();
    if (pass == Pass::none) return fail_all(requests.size(), is_down());
    if (pass == Pass::all) return complete_and_report(requests, call);
    auto first = complete_safely(*inner_, requests.front(), call);
    report(first, true);
    auto results = complete_all({requests.begin() + 1, requests.end()}, call);
    results.insert(results.begin(), std::move(first));
    return results;
  }

 private:
  std::vector<Result<LlmResponse>> complete_and_report(const std::vector<LlmRequest>& requests,
                                                       const CallOptions& call) {
    auto results = complete_all_safely(*inner_, requests, call);
    for (const auto& result : results) report(result, false);
    return results;
  }

  Pass pass() {
    const std::lock_guard lock(mutex_);
    return circuit_.pass(clock_->steady_now());
  }

  void report(const Result<LlmResponse>& result, bool is_probe) {
    const std::lock_guard lock(mutex_);
    circuit_.report(result, is_probe, clock_->steady_now());
  }

  Error is_down() {
    const std::lock_guard lock(mutex_);
    return {ErrorCode::unavailable, "the service has been failing and is left alone for a while",
            circuit_.closed_in(clock_->steady_now())};
  }

  const std::shared_ptr<LlmClient> inner_;
  const std::shared_ptr<Clock> clock_;
  std::mutex mutex_;
  Circuit circuit_;
};

}  // namespace

std::unique_ptr<LlmClient> make_circuit_breaking_llm_client(std::shared_ptr<LlmClient> inner,
                                                            std::shared_ptr<Clock> clock) {
  return std::make_unique<CircuitBreakingLlmClient>(std::move(inner), std::move(clock));
}

}  // namespace ctxmgr
