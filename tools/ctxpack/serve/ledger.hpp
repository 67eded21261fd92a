#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serve/api.hpp"
#include "view/run.hpp"

namespace ctxpack::serve {

/// Seconds, as Prometheus wants its buckets.
inline constexpr std::array<double, 8> duration_buckets = {0.1, 0.3, 1, 3, 10, 30, 100, 300};

/// What has been counted since the start.
struct Totals {
  std::map<std::pair<Api, int>, std::int64_t> requests{};  ///< By service and status.
  std::int64_t in_flight = 0;
  std::int64_t input_tokens = 0;
  std::int64_t tokens_saved = 0;   ///< Against sending everything.
  std::int64_t cached_tokens = 0;  ///< As the service reported them.
  std::int64_t output_tokens = 0;
  std::int64_t artifacts_shortened = 0;
  std::int64_t artifacts_left_out = 0;
  std::array<std::int64_t, duration_buckets.size()> durations{};  ///< Not added up.
  std::int64_t answers = 0;
  double seconds = 0;
  double build_seconds = 0;
  std::int64_t new_beginnings = 0;  ///< Requests that wrote their beginning anew, since something had to give way.
  double cost_usd = 0;              ///< Of the input, where the model's price is known.
  double everything_usd = 0;        ///< The same, had everything been sent.
};

/// Requests, newest last, as many as there is room for; sums of all of them.
/// Thread-safety: all methods may be called from several threads at once.
class Ledger {
 public:
  explicit Ledger(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void began();
  void ended(Api api, view::Step step);
  /// Adds to the step with that id, if it is still here.
  void summarized(const std::string& id, const view::Summaries& summaries);

  [[nodiscard]] Totals totals() const;
  [[nodiscard]] std::vector<std::shared_ptr<const view::Step>> steps() const;
  /// The newest of a thread; null where there is none.
  [[nodiscard]] std::shared_ptr<const view::Step> newest_of(const std::string& thread) const;

 private:
  mutable std::mutex mutex_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Totals totals_;
  std::deque<std::pair<std::size_t, std::shared_ptr<const view::Step>>> steps_;
};

}  // namespace ctxpack::serve
