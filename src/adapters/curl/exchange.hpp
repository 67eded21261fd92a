#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/curl/failure.hpp"
#include "adapters/curl/http_engine.hpp"
#include "adapters/curl/retry_policy.hpp"
#include "adapters/curl/transfer.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::http {

struct ExchangeLimits {
  int max_attempts = 3;
  std::chrono::milliseconds first_byte_timeout{60'000};
  std::chrono::milliseconds idle_timeout{30'000};
  std::chrono::milliseconds total_timeout{600'000};
  std::size_t max_transfers = 128;  ///< One thread's, queued or under way: bodies are not written long before.
};

/// One call with all its attempts: what to send, and what to make of what comes back. Used by one thread.
class Exchange {
 public:
  enum class Next { done, ask_again, failed };
  struct Step {
    Next next = Next::done;
    Failure failure{};  ///< What went wrong where it `failed`; why it is asked again with `ask_again`.
  };

  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// For the first attempt and each further one.
  [[nodiscard]] virtual Result<HttpRequest> next_request() = 0;

  /// A whole reply. `ask_again`: at once, with another request, and not as a retry.
  [[nodiscard]] virtual Step on_reply(HttpReply reply) = 0;

  /// A piece of an event stream. `ask_again` is the ordinary answer here.
  [[nodiscard]] virtual Step on_bytes(std::string_view bytes) = 0;

  /// Whether something has reached the caller, after which nothing is retried.
  [[nodiscard]] virtual bool has_delivered() const { return false; }

  /// The transfer broke off, or is not to be waited for any longer. Whether what has come is a whole answer all the same,
  /// and was accepted.
  [[nodiscard]] virtual bool accept_unfinished() { return false; }

  /// How long the service may be silent now; `has_begun`: something of the body has come.
  [[nodiscard]] virtual std::chrono::milliseconds patience(const ExchangeLimits& limits, bool has_begun) const {
    return has_begun ? limits.idle_timeout : limits.first_byte_timeout;
  }

  /// The end, where no reply was good.
  virtual void on_failure(Error error) = 0;
};

/// Carries all exchanges out at the same time, in the calling thread except for the transfers themselves, and returns
/// when each is done or has failed.
void carry_out(const std::vector<Exchange*>& exchanges, HttpEngine& engine, RetryBudget& budget,
               const ExchangeLimits& limits, const CallOptions& call);

}  // namespace ctxmgr::http
