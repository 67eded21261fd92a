#include "engine/planning/failed_summaries.hpp"

#include "engine/summaries/summary_entry.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::chrono::minutes pause_after_failure{1};
constexpr std::size_t most_known_failures = 1'024;

std::string name_of_summary(const SummaryKey& key) { return summary_namespace(key.scope) + summary_store_key(key); }

}  // namespace

void FailedSummaries::add(const SummaryKey& key, Time now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(failed_at_, [now](const auto& failed) { return now - failed.second >= pause_after_failure; });
  if (failed_at_.size() >= most_known_failures) failed_at_.clear();
  failed_at_[name_of_summary(key)] = now;
}

bool FailedSummaries::failed_lately(const SummaryKey& key, Time now) const {
  const std::lock_guard lock(mutex_);
  if (failed_at_.empty()) return false;
  const auto found = failed_at_.find(name_of_summary(key));
  return found != failed_at_.end() && now - found->second < pause_after_failure;
}

}  // namespace ctxmgr::engine
