#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/llm_client.hpp"

/// \file
/// Each makes a client out of a client; wrap them in any order. All keep the contract of LlmClient, pass `complete_all`
/// on as one call where they can, and take a clock so that tests need not wait (null: the machine's). Around no client,
/// each call is `invalid_argument`.
/// Thread-safety: all methods of all of them may be called from several threads at once.
///
///     auto client = make_fallback_llm_client(make_circuit_breaking_llm_client(std::move(service)), second);
namespace ctxmgr {

/// Stops calling a service that is down: `unavailable` with `retry_after`, without a call, until one call at a time is
/// let through to probe it. It is down once more than half of at least 5 calls in 30 s were `unavailable`, or one was `denied`.
/// It is left alone for 5 s, and twice as long after each probe that fails, up to a minute: LiteLLM's cooldown rules. Errors of
/// the caller's making do not count.
[[nodiscard]] CTXMGR_API std::unique_ptr<LlmClient> make_circuit_breaking_llm_client(std::shared_ptr<LlmClient> inner,
                                                                                     std::shared_ptr<Clock> clock = {});

/// What the plans and summaries of one tenant may use.
struct TenantLimitOptions {
  /// Input and output. As many at once after a `window` of rest, and they come back evenly. 0: no limit.
  std::int64_t max_tokens = 1'000'000;
  std::chrono::milliseconds window{3'600'000};
  std::size_t max_parallel = 16;  ///< Calls at the same time.

  /// Which tenant an `LlmRequest::scope` belongs to. Must not throw. Null: each scope is a tenant of its own.
  std::function<std::string(const std::string& scope)> tenant_of{};
  std::shared_ptr<Clock> clock{};
};

/// Keeps a tenant that floods from holding up the others. Plans and summaries over its limits are `limit_exceeded` at once,
/// without waiting. Its builds go on without a model, and their receipts say why. The host's own calls go
/// through. A batch takes what may run at the same time, in rounds, and is refused only where nothing may. A call counts
/// as its estimated input and its `max_output_tokens` until the reply reports what it took; one that failed counts
/// nothing. Counts what goes through this client, in this process.
[[nodiscard]] CTXMGR_API std::unique_ptr<LlmClient> make_tenant_limited_llm_client(
    std::shared_ptr<LlmClient> inner, const TenantLimitOptions& options = {});

/// Goes to `second` when `first` is `unavailable` or `denied`, or does not have the model; never for a deadline or a
/// cancellation. The request's model name goes to both: leave it empty where each client has a model of its own.
[[nodiscard]] CTXMGR_API std::unique_ptr<LlmClient> make_fallback_llm_client(std::shared_ptr<LlmClient> first,
                                                                             std::shared_ptr<LlmClient> second);

/// Appends each request and its reply to a JSONL file, the cassette: prompts and replies in full, created for its owner
/// alone. Keys are in no request and so not in it. `invalid_argument` if there is no client or the file cannot be opened.
/// A reply that cannot be written down fails with `limit_exceeded`.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<LlmClient>> make_recording_llm_client(std::shared_ptr<LlmClient> inner,
                                                                                      const std::string& path);

/// Answers from a cassette, without a model: equal requests get the replies that were recorded for them, in order, the
/// last one again and again. `not_found` for a request that is not there; `invalid_argument` if the file is none.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<LlmClient>> make_replaying_llm_client(const std::string& path);

/// What went through a client so far.
/// Thread-safety: all methods may be called from several threads at once.
class CTXMGR_API CostMeter {
 public:
  CostMeter();
  CostMeter(const CostMeter&) = delete;
  CostMeter& operator=(const CostMeter&) = delete;
  ~CostMeter();

  [[nodiscard]] UsageMetadata usage() const;
  [[nodiscard]] UsageMetadata usage(LlmPurpose purpose) const;

  /// At the catalogue's prices; models that it does not know cost nothing here.
  [[nodiscard]] CostMetadata cost() const;
  [[nodiscard]] CostMetadata cost(LlmPurpose purpose) const;

  /// One reply; this is what `make_metered_llm_client` calls.
  void add(LlmPurpose purpose, const UsageMetadata& usage, const CostMetadata& cost);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Adds each reply's usage, and its cost by the model that answered, to the meter (null: to none).
[[nodiscard]] CTXMGR_API std::unique_ptr<LlmClient> make_metered_llm_client(std::shared_ptr<LlmClient> inner,
                                                                            std::shared_ptr<CostMeter> meter,
                                                                            ModelCatalog catalog = {});

}  // namespace ctxmgr
