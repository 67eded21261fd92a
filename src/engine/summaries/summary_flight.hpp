#pragma once
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "ctxmgr/ports/clock.hpp"

namespace ctxmgr {

/// One caller's part in the making of a summary that several want at once. Exactly one of them leads: it makes the
/// summary and calls finish(), and no lock is held meanwhile. The others wait() or poll(). A leader that is destroyed unfinished
/// steps back, and the next one that asks leads.
/// Thread-safety: one thread at a time, any thread; flights of one key may be in different threads.
class SummaryFlight {
 public:
  /// The summaries in the making, of all who share it.
  struct Table;

  /// Joins those who want this summary now, or is the first of them.
  [[nodiscard]] static SummaryFlight claim(const SummaryCache& cache, const SummaryKey& key);
  SummaryFlight(SummaryFlight&&) noexcept = default;
  ~SummaryFlight();

  /// Whether this caller has to make the summary. A follower may become the leader while it polls or waits.
  [[nodiscard]] bool is_leader() const { return is_leader_; }

  /// The leader's answer: kept in the cache if it is one, and given to everybody who waits; the next to claim starts anew. A
  /// failure is given to those who wait now and kept by nobody; `cancelled` and `deadline_exceeded` are the leader's own, so
  /// the next one leads.
  void finish(const Result<std::string>& summary, const CallOptions& call = {});

  /// A summary that is in the cache already, for those who wait.
  void hand_out(Result<std::string> summary);

  /// The leader's answer if it is there. nullopt: not yet, or `is_leader()` now.
  [[nodiscard]] std::optional<Result<std::string>> poll();

  /// Waits for it, at most until the deadline or cancellation. nullopt: `is_leader()` now, or ten seconds have passed. To be
  /// called after this caller's own calls are answered. `unavailable` where the leader would have to run in this very thread.
  [[nodiscard]] std::optional<Result<std::string>> wait(const CallOptions& call = {});

 private:
  enum class Stage { led, vacant, answered };

  struct Flight {
    Stage stage = Stage::vacant;
    std::thread::id leader{};
    std::size_t callers = 0;
    std::optional<Result<std::string>> answer{};
    std::condition_variable changed{};
  };

  SummaryFlight(SummaryCache cache, SummaryKey key, std::shared_ptr<Table> table, std::shared_ptr<Clock> clock);
  std::optional<Result<std::string>> poll_locked();
  void step_back();

  SummaryCache cache_;
  SummaryKey key_;
  std::shared_ptr<Clock> clock_;
  std::shared_ptr<Table> table_;  ///< Null: another one was made from this.
  std::string name_;
  std::shared_ptr<Flight> flight_;
  bool is_leader_ = false;
};

struct SummaryFlight::Table {
  std::mutex mutex{};
  std::map<std::string, std::shared_ptr<Flight>> flights{};  ///< Those without an answer.
};

}  // namespace ctxmgr
