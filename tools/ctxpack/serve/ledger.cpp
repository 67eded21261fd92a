#include "serve/ledger.hpp"

#include <algorithm>
#include <chrono>

#include "view/conversations.hpp"
#include "view/pricing.hpp"

namespace ctxpack::serve {
namespace {

/// About as much as it takes.
std::size_t bytes_of(const view::Step& step) {
  std::size_t bytes = sizeof step + step.id.size() + step.thread.size() + step.first_words.size() + step.error.size();
  for (const auto& record : step.receipt.artifacts_processed) {
    bytes += sizeof record + record.artifact_id.size() + record.source.size() + record.reason.size() +
             record.reference.size();
  }
  for (const auto& note : step.receipt.notes) bytes += sizeof(std::string) + note.size();
  for (const auto& tool : step.receipt.tools_left_out) bytes += sizeof(std::string) + tool.size();
  return bytes;
}

void add(Totals& totals, Api api, const view::Step& step) {
  const auto& receipt = step.receipt;
  ++totals.requests[{api, step.status}];
  totals.input_tokens += receipt.input_tokens_used + receipt.tools_tokens;
  if (receipt.include_all_tokens > receipt.input_tokens_used)
    totals.tokens_saved += receipt.include_all_tokens - receipt.input_tokens_used;
  totals.cached_tokens += step.usage.cached_prompt_tokens;
  totals.output_tokens += step.usage.completion_tokens;
  totals.artifacts_shortened += static_cast<std::int64_t>(receipt.artifacts_transformed);
  totals.artifacts_left_out += static_cast<std::int64_t>(receipt.artifacts_excluded);
  const double seconds = std::chrono::duration<double>(step.took).count();
  for (std::size_t i = 0; i < duration_buckets.size(); ++i) {
    if (seconds > duration_buckets[i]) continue;
    ++totals.durations[i];
    break;
  }
  totals.cost_usd += step.cost_usd;
  totals.everything_usd += step.everything_usd;
  ++totals.answers;
  totals.seconds += seconds;
  for (const auto& timing : receipt.timings) {
    totals.build_seconds += std::chrono::duration<double>(timing.elapsed).count();
  }
}

}  // namespace

void Ledger::began() {
  const std::lock_guard lock(mutex_);
  ++totals_.in_flight;
}

void Ledger::ended(Api api, view::Step step) {
  const auto bytes = bytes_of(step);
  const auto kept = std::make_shared<const view::Step>(std::move(step));
  const std::lock_guard lock(mutex_);
  --totals_.in_flight;
  add(totals_, api, *kept);
  const auto is_before = [&](const auto& other) { return other.second->thread == kept->thread; };
  const auto before = std::find_if(steps_.rbegin(), steps_.rend(), is_before);
  if (view::is_compaction(*kept, before == steps_.rend() ? nullptr : before->second.get())) ++totals_.new_beginnings;
  steps_.emplace_back(bytes, kept);
  bytes_ += bytes;
  while (bytes_ > most_bytes_ && steps_.size() > 1) {
    bytes_ -= steps_.front().first;
    steps_.pop_front();
  }
}

void Ledger::summarized(const std::string& id, const view::Summaries& summaries) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(steps_.rbegin(), steps_.rend(), [&](const auto& kept) { return kept.second->id == id; });
  if (found == steps_.rend()) return;
  auto step = std::make_shared<view::Step>(*found->second);  // Somebody may be reading the other one.
  view::add(step->summaries, summaries);
  found->second = std::move(step);
}

Totals Ledger::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

std::vector<std::shared_ptr<const view::Step>> Ledger::steps() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const view::Step>> steps;
  steps.reserve(steps_.size());
  for (const auto& [bytes, step] : steps_) steps.push_back(step);
  return steps;
}

std::shared_ptr<const view::Step> Ledger::newest_of(const std::string& thread) const {
  const std::lock_guard lock(mutex_);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->second->thread == thread) return step->second;
  }
  return nullptr;
}

}  // namespace ctxpack::serve
