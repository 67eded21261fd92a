#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "serve/api.hpp"
#include "view/run.hpp"

namespace ctxpack::serve {

/// A request that was sent, of a thread that may have to be compacted soon.
struct NearlyFull {
  Api api = Api::openai;
  std::string receipt{};  ///< Id of its receipt.
  std::string thread{};
  std::string body{};              ///< As it was fitted.
  ctxmgr::BuildRequest request{};  ///< With the state that came of it.
  ctxmgr::AttachmentSource attachments{};
};

/// What has been counted since the start.
struct PreparingTotals {
  ctxmgr::UsageMetadata usage{};
  double usd = 0;             ///< Of calls whose price is known.
  std::int64_t skipped = 0;   ///< Threads that were not prepared: too many waited, or the hour's tokens were spent.
  std::size_t under_way = 0;  ///< Threads that are prepared now, or wait for it.
};

/// Makes the summaries that compactions will use, in the background: no request waits for one.
/// Thread-safety: all methods may be called from several threads at once.
class Preparing {
 public:
  /// `made`: what was asked for a request, by the id of its receipt; called from any thread.
  using Made = std::function<void(const std::string& receipt, const view::Summaries& summaries)>;
  Preparing(ctxmgr::ContextManager manager, std::int64_t tokens_per_hour, Made made);
  Preparing(const Preparing&) = delete;
  Preparing& operator=(const Preparing&) = delete;
  ~Preparing();

  /// Takes the place of what waits of the same thread. Where too much waits, what has waited longest goes.
  void add(NearlyFull full);

  /// Cancels calls that are under way, and waits for their threads to end. Nothing is taken from then on.
  void stop();

  [[nodiscard]] PreparingTotals totals() const;

 private:
  void work();
  [[nodiscard]] std::deque<NearlyFull>::iterator next();
  [[nodiscard]] std::int64_t take_share();
  [[nodiscard]] view::Summaries prepare(NearlyFull full, std::int64_t most_tokens) const;

  const ctxmgr::ContextManager manager_;
  const std::int64_t tokens_per_hour_;
  const Made made_;
  const ctxmgr::CancellationToken stopped_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<NearlyFull> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::set<std::string> under_way_;
  std::chrono::steady_clock::time_point hour_began_ = std::chrono::steady_clock::now();
  std::int64_t spent_ = 0;      ///< In this hour.
  std::int64_t set_aside_ = 0;  ///< For those under way.
  PreparingTotals totals_;
  std::vector<std::thread> workers_;
};

}  // namespace ctxpack::serve
