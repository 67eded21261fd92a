#pragma once
#include <memory>
#include <optional>
#include <string>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "engine/summaries/single_flight.hpp"

namespace ctxmgr {

/// One caller's part in the making of a summary that several want at once. Exactly one of them leads: it makes the
/// summary and calls finish(). The others wait() or poll(). A leader that is destroyed unfinished steps back, and the
/// next one that asks leads.
/// Thread-safety: one thread at a time, any thread; flights of one key may be in different threads.
class SummaryFlight {
 public:
  /// Joins those who want this summary now, or is the first of them.
  [[nodiscard]] static SummaryFlight claim(const SummaryCache& cache, const SummaryKey& key);

  /// Whether this caller has to make the summary. A follower may become the leader while it polls or waits.
  [[nodiscard]] bool is_leader() const { return ticket_->is_leader(); }

  /// The leader's answer: kept in the cache if it is one, and given to everybody who waits. A failure is given to those
  /// who wait now and kept by nobody; `cancelled` and `deadline_exceeded` are the leader's own, so the next one leads.
  void finish(const Result<std::string>& summary, const CallOptions& call = {});

  /// A summary that is in the cache already, for those who wait.
  void hand_out(std::string summary) { ticket_->complete(std::move(summary)); }

  /// The leader's answer if it is there. nullopt: not yet, or `is_leader()` now.
  [[nodiscard]] std::optional<Result<std::string>> poll() { return ticket_->poll(); }

  /// Waits for it, at most until the deadline or cancellation. nullopt: `is_leader()` now. To be called after this
  /// caller's own calls are answered. `unavailable` where the leader would have to run in this very thread.
  [[nodiscard]] std::optional<Result<std::string>> wait(const CallOptions& call = {});

 private:
  SummaryFlight(SummaryCache cache, SummaryKey key, const std::shared_ptr<SingleFlight>& table,
                std::shared_ptr<Clock> clock);

  SummaryCache cache_;
  SummaryKey key_;
  std::unique_ptr<SingleFlight::Ticket> ticket_;
  std::shared_ptr<Clock> clock_;
};

}  // namespace ctxmgr
