#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "adapters/clients/retry_policy.hpp"
#include "adapters/clients/safe_calls.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;

bool is_passing(const Result<LlmResponse>& result) { return !result && result.error().code == ErrorCode::unavailable; }

class RetryingLlmClient final : public LlmClient {
 public:
  RetryingLlmClient(std::shared_ptr<LlmClient> inner, const RetryOptions& options)
      : inner_(required(std::move(inner))),
        clock_(options.clock ? options.clock : make_system_clock()),
        max_attempts_(options.max_attempts) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    return std::move(complete_all({request}, call).front());
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    in_flight_ += requests.size();
    auto results = ask(requests, call);
    for (int attempt = 1; attempt < max_attempts_; ++attempt) {
      const auto again = wait_for_retry(results, attempt, call);
      if (again.empty()) break;
      auto retried = ask(requests_at(requests, again), call);
      for (std::size_t i = 0; i < again.size(); ++i) {
        results[again[i]] = std::move(retried[i]);
        budget_.release();
      }
    }
    in_flight_ -= requests.size();
    return results;
  }

 private:
  std::vector<Result<LlmResponse>> ask(const std::vector<LlmRequest>& requests, const CallOptions& call) {
    auto results = requests.size() == 1 ? std::vector{complete_safely(*inner_, requests.front(), call)}
                                        : complete_all_safely(*inner_, requests, call);
    for (const auto& result : results) {
      if (result) budget_.on_success();
      if (is_passing(result)) budget_.on_failure(false);
    }
    return results;
  }

  /// Chooses what to ask again, and waits until the last of it may be asked. Each holds a retry of the budget.
  std::vector<std::size_t> wait_for_retry(std::vector<Result<LlmResponse>>& results, int attempt,
                                          const CallOptions& call) {
    std::vector<std::size_t> again;
    milliseconds longest{};
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!is_passing(results[i])) continue;
      const auto delay = delay_for(results[i].error(), attempt, call);
      if (!delay || !budget_.acquire(in_flight_)) continue;
      again.push_back(i);
      longest = std::max(longest, *delay);
    }
    if (again.empty()) return again;
    clock_->sleep_until(clock_->steady_now() + longest, call);
    if (!call.cancellation.is_cancelled()) return again;
    for (const auto index : again) {
      results[index] = fail(ErrorCode::cancelled, "cancelled by the caller");
      budget_.release();
    }
    return {};
  }

  std::optional<milliseconds> delay_for(const Error& error, int attempt, const CallOptions& call) {
    const auto delay = error.retry_after.value_or(backoff_delay(attempt - 1, budget_.jitter()));
    if (delay > max_retry_after) return std::nullopt;
    if (call.deadline && clock_->steady_now() + delay >= *call.deadline) return std::nullopt;
    return delay;
  }

  const std::shared_ptr<LlmClient> inner_;
  const std::shared_ptr<Clock> clock_;
  const int max_attempts_;
  RetryBudget budget_;
  std::atomic<std::size_t> in_flight_{0};
};

}  // namespace

std::unique_ptr<LlmClient> make_retrying_llm_client(std::shared_ptr<LlmClient> inner, const RetryOptions& options) {
  return std::make_unique<RetryingLlmClient>(std::move(inner), options);
}

}  // namespace ctxmgr
