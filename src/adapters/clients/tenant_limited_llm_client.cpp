#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "adapters/clients/safe_calls.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

/// Accounts of tenants that rest are looked for when there are more than these, and then when they have doubled.
constexpr std::size_t least_swept = 1'024;

Error used_up() { return {ErrorCode::limit_exceeded, "the tenant has used up its tokens", {}}; }
Error too_many() { return {ErrorCode::limit_exceeded, "the tenant has too many calls under way", {}}; }

/// What each tenant has used lately, and what it has under way. An account without either is nothing to remember.
/// Thread-safety: all methods may be called from several threads at once.
class Accounts {
 public:
  Accounts(std::int64_t max_tokens, milliseconds window, std::size_t max_parallel)
      : max_tokens_(static_cast<double>(max_tokens)),
        window_(std::max(window, milliseconds(1))),
        max_parallel_(std::max<std::size_t>(max_parallel, 1)) {}

  /// Takes tokens from a tenant's account; false where it has not got as many.
  bool spend(const std::string& tenant, std::int64_t tokens, TimePoint now) {
    if (max_tokens_ <= 0) return true;
    const std::lock_guard lock(mutex_);
    auto& account = account_of(tenant, now);
    const auto used = account.used + static_cast<double>(tokens);
    if (used > max_tokens_) return false;
    account.used = used;
    return true;
  }

  /// What a call took turned out to be another number.
  void correct(const std::string& tenant, std::int64_t difference, TimePoint now) {
    if (max_tokens_ <= 0) return;
    const std::lock_guard lock(mutex_);
    auto& account = account_of(tenant, now);
    account.used = std::max(0.0, account.used + static_cast<double>(difference));
  }

  /// How many of `wanted` calls may run at the same time; 0: none may now. To be given back.
  std::size_t enter(const std::string& tenant, std::size_t wanted, TimePoint now) {
    const std::lock_guard lock(mutex_);
    auto& account = account_of(tenant, now);
    const auto entered = std::min(wanted, max_parallel_ - account.under_way);
    account.under_way += entered;
    return entered;
  }

  void leave(const std::string& tenant, std::size_t calls, TimePoint now) {
    const std::lock_guard lock(mutex_);
    account_of(tenant, now).under_way -= calls;
  }

 private:
  struct Account {
    double used = 0;  ///< At `counted_at`; less every moment since.
    TimePoint counted_at{};
    std::size_t under_way = 0;
  };

  Account& account_of(const std::string& tenant, TimePoint now) {
    if (accounts_.size() > sweep_above_) {
      std::erase_if(accounts_,
                    [&](const auto& entry) { return entry.second.under_way == 0 && used(entry.second, now) <= 0; });
      sweep_above_ = std::max(least_swept, 2 * accounts_.size());
    }
    auto& account = accounts_[tenant];
    account.used = used(account, now);
    account.counted_at = std::max(account.counted_at, now);  // another thread's may be later
    return account;
  }

  [[nodiscard]] double used(const Account& account, TimePoint now) const {
    const std::chrono::duration<double> rest = std::max(now, account.counted_at) - account.counted_at;
    return std::max(0.0, account.used - max_tokens_ * (rest / window_));
  }

  const double max_tokens_;  // 0: no limit
  const std::chrono::duration<double> window_;
  const std::size_t max_parallel_;
  std::mutex mutex_;
  std::map<std::string, Account> accounts_;
  std::size_t sweep_above_ = least_swept;
};

class TenantLimitedLlmClient final : public LlmClient {
 public:
  TenantLimitedLlmClient(std::shared_ptr<LlmClient> inner, const TenantLimitOptions& options)
      : inner_(required(std::move(inner))),
        tenant_of_(options.tenant_of),
        clock_(options.clock ? options.clock : make_system_clock()),
        accounts_(options.max_tokens, options.window, options.max_parallel) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    if (request.purpose == LlmPurpose::host) return complete_safely(*inner_, request, call);
    return complete_all({request}, call).front();
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    std::vector<Result<LlmResponse>> results(requests.size(), tl::unexpected<Error>(used_up()));
    std::vector<Admitted> waiting = admit(requests);
    auto slots = enter(waiting, results);
    while (!waiting.empty()) {
      const auto round = next_round(waiting, slots);
      std::vector<std::size_t> indexes;
      for (const auto& admitted : round) indexes.push_back(admitted.index);
      auto replies = complete_all_safely(*inner_, requests_at(requests, indexes), call);
      for (std::size_t i = 0; i < round.size(); ++i) {
        settle(round[i], replies[i]);
        results[round[i].index] = std::move(replies[i]);
      }
    }
    for (const auto& [tenant, count] : slots) accounts_.leave(tenant, count, now());
    return results;
  }

 private:
  struct Admitted {
    std::size_t index = 0;
    bool is_limited = false;  ///< Not the host's own.
    std::string tenant{};
    std::int64_t tokens = 0;  ///< Taken from its account.
  };
  using Slots = std::map<std::string, std::size_t>;

  [[nodiscard]] TimePoint now() const { return clock_->steady_now(); }

  /// Those that their tenants have tokens for.
  std::vector<Admitted> admit(const std::vector<LlmRequest>& requests) {
    std::vector<Admitted> admitted;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto& request = requests[i];
      Admitted one{i, request.purpose != LlmPurpose::host, {}, 0};
      if (one.is_limited) {
        one.tenant = tenant_of_ ? tenant_of_(request.scope) : request.scope;
        one.tokens = count_messages(*counter_, request.messages) +
                     std::max<std::int64_t>(0, request.max_output_tokens.value_or(0));
        if (!accounts_.spend(one.tenant, one.tokens, now())) continue;
      }
      admitted.push_back(std::move(one));
    }
    return admitted;
  }

  /// How many calls of each tenant may run at a time. Those of whom none may are taken off the list.
  Slots enter(std::vector<Admitted>& waiting, std::vector<Result<LlmResponse>>& results) {
    Slots slots;
    for (const auto& one : waiting) {
      if (one.is_limited) ++slots[one.tenant];
    }
    for (auto& [tenant, count] : slots) count = accounts_.enter(tenant, count, now());
    std::erase_if(waiting, [&](const Admitted& one) {
      if (!one.is_limited || slots[one.tenant] > 0) return false;
      accounts_.correct(one.tenant, -one.tokens, now());
      results[one.index] = tl::unexpected<Error>(too_many());
      return true;
    });
    return slots;
  }

  /// As many as may run at the same time; the others go on waiting.
  static std::vector<Admitted> next_round(std::vector<Admitted>& waiting, Slots free) {
    std::vector<Admitted> round;
    std::vector<Admitted> later;
    for (auto& one : waiting) {
      auto& left = free[one.tenant];
      const bool is_next = !one.is_limited || left > 0;
      if (one.is_limited && is_next) --left;
      (is_next ? round : later).push_back(std::move(one));
    }
    waiting = std::move(later);
    return round;
  }

  void settle(const Admitted& one, const Result<LlmResponse>& reply) {
    if (!one.is_limited) return;
    if (!reply) return accounts_.correct(one.tenant, -one.tokens, now());
    const auto reported = reply->usage.total_tokens();
    if (reported > 0) accounts_.correct(one.tenant, reported - one.tokens, now());
  }

  const std::shared_ptr<LlmClient> inner_;
  const std::function<std::string(const std::string&)> tenant_of_;
  const std::shared_ptr<Clock> clock_;
  const std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  Accounts accounts_;
};

}  // namespace

std::unique_ptr<LlmClient> make_tenant_limited_llm_client(std::shared_ptr<LlmClient> inner,
                                                          const TenantLimitOptions& options) {
  return std::make_unique<TenantLimitedLlmClient>(std::move(inner), options);
}

}  // namespace ctxmgr
