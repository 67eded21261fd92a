#include "engine/execution.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/sha256.hpp"
#include "core/utf8.hpp"
#include "engine/summarizer_call.hpp"

namespace ctxmgr::engine {
namespace {

// Sources that do not fit into the summariser's window are cut into leaves of this size, from the oldest end, so that
// the leaves of a text that grows stay the same and stay cached.
constexpr std::int64_t leaf_tokens = 20'000;
constexpr std::int64_t leaf_summary_tokens = 2'400;
constexpr double usable_window =
    0.75;  // The rest is for instructions, the reply, and a counter that is not the model's.

/// Cut at the last line break, else blank, else character that keeps a leaf within its size.
std::vector<std::string> leaves_of(std::string_view content, std::int64_t leaf_size, const TokenCounter& counter) {
  std::vector<std::string> leaves;
  const auto total = std::max<std::int64_t>(1, counter.count(content));
  while (!content.empty()) {
    auto bytes = static_cast<std::size_t>(static_cast<double>(leaf_size) / static_cast<double>(total) *
                                          static_cast<double>(content.size() + 1));
    bytes = std::clamp<std::size_t>(bytes, 1'024, content.size());
    while (bytes > 1'024 && counter.count_up_to(content.substr(0, bytes), leaf_size) > leaf_size) bytes = bytes * 3 / 4;
    if (bytes < content.size()) {
      auto cut = content.find_last_of('\n', bytes - 1);
      if (cut == std::string_view::npos || cut < bytes / 2) cut = content.find_last_of(' ', bytes - 1);
      bytes = cut == std::string_view::npos || cut < bytes / 2
                  ? std::max<std::size_t>(utf8::floor_boundary(content, bytes), 1)
                  : cut + 1;
    }
    leaves.emplace_back(content.substr(0, bytes));
    content.remove_prefix(bytes);
  }
  return leaves;
}

}  // namespace

Execution::Execution(std::vector<ExecutionItem> items, ExecutionTools tools, std::size_t first_call_id)
    : items_(std::move(items)), tools_(std::move(tools)), next_id_(first_call_id), calls_left_(tools_.max_calls) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].decision.strategy != ProcessingStrategy::summarize) continue;
    jobs_.push_back({i});
    start(jobs_.back(), items_[i].artifact->content);
  }
}

/// Cuts the content into tasks, unless that takes more calls than are left.
void Execution::start(Job& job, const std::string& content) {
  const auto& item = items_[job.item];
  const auto window = static_cast<std::int64_t>(static_cast<double>(tools_.summarizer_window_tokens) * usable_window);
  const bool whole = tools_.counter.count_up_to(content, window) <= window;
  auto parts =
      whole ? std::vector<std::string>{content} : leaves_of(content, std::min(leaf_tokens, window), tools_.counter);
  if (parts.size() + (whole ? 0 : 1) > calls_left_) return fail_job(job, "no model calls left");
  const auto target = whole ? target_token_bucket(item.decision.target_tokens) : leaf_summary_tokens;
  job.tasks.clear();
  for (auto& part : parts) {
    Task task;
    task.target = target;
    const bool original = whole && !job.merged;
    task.key = {tools_.scope,
                item.artifact->artifact_id,
                original ? content_hash(*item.artifact) : sha256_hex(part),
                ProcessingStrategy::summarize,
                item.decision.summarization_focus,
                tools_.summarizer,
                target,
                std::string(summary_prompt_version),
                item.artifact->trust};
    task.text = std::move(part);
    job.tasks.push_back(std::move(task));
  }
  look_up(job);
}

void Execution::look_up(Job& job) {
  std::vector<SummaryKey> keys;
  for (const auto& task : job.tasks) keys.push_back(task.key);
  auto found = tools_.cache.lookup(keys, tools_.call);
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    auto& task = job.tasks[i];
    ++(found[i] ? cache_stats_.hits : cache_stats_.misses);
    if (found[i]) {
      task.summary = std::move(*found[i]);
      task.cache_hit = true;
      task.state = State::done;
    } else if (tools_.flights == SharedFlights::join) {
      task.flight = tools_.cache.claim(task.key);
      task.state = task.flight->is_leader() ? State::wanted : State::elsewhere;
    }
    if (!found[i]) --calls_left_;
  }
  advance(job);
}

/// Once all parts are there: the summary itself, or the parts' summaries as a text to summarise.
void Execution::advance(Job& job) {
  if (job.failed || job.finished) return;
  for (const auto& task : job.tasks) {
    if (task.state == State::failed) return fail_job(job, "summary failed");
    if (task.state != State::done) return;
  }
  if (job.tasks.size() == 1) {
    job.finished = true;
    return;
  }
  std::string joined;
  for (const auto& task : job.tasks) joined += task.summary + '\n';
  job.merged = true;
  start(job, joined);
}

void Execution::fail_job(Job& job, std::string why) {
  job.failed = true;
  if (job.failure.empty()) job.failure = std::move(why);
  for (auto& task : job.tasks) task.flight.reset();
}

std::vector<PendingCall> Execution::next_calls() {
  std::vector<PendingCall> calls;
  for (auto& job : jobs_) {
    if (job.failed || job.finished) continue;
    for (auto& task : job.tasks) {
      if (task.state != State::wanted) continue;
      task.state = State::asked;
      task.call_id = next_id_++;
      const auto& item = items_[job.item];
      calls.push_back(
          {*task.call_id, make_summary_request(task.text, item.artifact->source, item.decision.summarization_focus,
                                               task.target, tools_.summarizer)});
    }
  }
  return calls;
}

void Execution::reply(std::size_t id, Result<LlmResponse> response) {
  for (auto& job : jobs_) {
    for (auto& task : job.tasks) {
      if (task.call_id != id || task.state != State::asked) continue;
      Result<std::string> summary = tl::unexpected(Error{});
      if (response) {
        usage_ = usage_ + response->usage;
        summary = accept_summary(*response, task.text, task.target, tools_.counter);
      } else {
        summary = tl::unexpected(response.error());
      }
      if (task.flight) {
        task.flight->finish(summary, tools_.call);
        task.flight.reset();
      } else if (summary) {
        tools_.cache.store(task.key, *summary, tools_.call);
      }
      task.state = summary ? State::done : State::failed;
      if (summary) task.summary = std::move(*summary);
      if (!summary) job.failure = summary.error().message;
      return advance(job);
    }
  }
}

bool Execution::done() const {
  return std::all_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.failed || job.finished; });
}

void Execution::wait_for_others() {
  for (auto& job : jobs_) {
    if (job.failed || job.finished) continue;
    for (auto& task : job.tasks) {
      if (task.state != State::elsewhere) continue;
      auto answer = task.flight->wait(tools_.call);
      if (!answer) {
        task.state = State::wanted;
        continue;
      }
      task.flight.reset();
      task.state = *answer ? State::done : State::failed;
      if (*answer) task.summary = std::move(**answer);
      if (!*answer) job.failure = answer->error().message;
    }
    advance(job);
  }
}

ProcessedText Execution::extracted(const ExecutionItem& item, std::string reason) const {
  const auto& decision = item.decision;
  auto text =
      decision.strategy == ProcessingStrategy::summarize
          ? tools_.retriever.summarize(*item.artifact, decision.summarization_focus, decision.target_tokens,
                                       tools_.counter)
          : tools_.retriever.extract(*item.artifact, decision.extraction_query, decision.target_tokens, tools_.counter);
  ProcessedText processed{strategy_of(text.view), std::move(text.text), text.tokens, false, std::move(reason)};
  if (processed.text.empty()) processed.strategy = ProcessingStrategy::exclude;
  return processed;
}

ProcessedText Execution::carry_out(const ExecutionItem& item) const {
  if (item.decision.strategy == ProcessingStrategy::exclude) return {};
  if (item.prepared && strategy_of(item.prepared->view) == item.decision.strategy &&
      item.prepared->tokens <= item.decision.target_tokens) {
    return {item.decision.strategy, item.prepared->text, item.prepared->tokens, false, {}};
  }
  if (item.decision.strategy == ProcessingStrategy::include_full) {
    return {ProcessingStrategy::include_full, item.artifact->content, item.full_tokens, false, {}};
  }
  return extracted(item, {});
}

ProcessedText Execution::summarized(const Job& job) const {
  const auto& task = job.tasks.front();
  return {ProcessingStrategy::summarize, task.summary, tools_.counter.count(task.summary), task.cache_hit, {}};
}

std::vector<ProcessedText> Execution::finish() {
  std::vector<ProcessedText> texts(items_.size());
  auto job = jobs_.begin();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (job == jobs_.end() || job->item != i) {
      texts[i] = carry_out(items_[i]);
      continue;
    }
    texts[i] = job->finished
                   ? summarized(*job)
                   : extracted(items_[i], "extracted: " + (job->failure.empty() ? "no summary in time" : job->failure));
    ++job;
  }
  jobs_.clear();
  return texts;
}

}  // namespace ctxmgr::engine
