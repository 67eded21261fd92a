#pragma once
#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "ctxmgr/engine/summary_key.hpp"

namespace ctxmgr::engine {

/// Which summaries could not be had lately, so that a preparation after each step does not ask a service that is down without end.
/// Thread-safety: all methods may be called from several threads at once.
class FailedSummaries {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void add(const SummaryKey& key, Time now);

  /// Whether it failed less than a minute ago.
  [[nodiscard]] bool failed_lately(const SummaryKey& key, Time now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Time> failed_at_;
};

}  // namespace ctxmgr::engine
