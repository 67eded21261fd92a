#include "engine/planning/execution.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/sha256.hpp"
#include "engine/extracts/artifact_title.hpp"
#include "engine/summaries/leaves.hpp"
#include "engine/summaries/summarizer_call.hpp"
#include "engine/summaries/summary_entry.hpp"

namespace ctxmgr::engine {
namespace {

/// Where the cache keeps why a summary was refused.
SummaryKey refusal_key(SummaryKey key) {
  key.content_hash.insert(0, "refused ");
  return key;
}

constexpr std::string_view over_limit = "a summary may take more than the limit on planning leaves";

}  // namespace

Execution::Execution(std::vector<ExecutionItem> items, ExecutionTools tools, std::size_t first_call_id)
    : items_(std::move(items)), tools_(std::move(tools)), next_id_(first_call_id), calls_left_(tools_.max_calls) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].decision.strategy != ProcessingStrategy::summarize) continue;
    jobs_.push_back({i});
    start(jobs_.back(), items_[i].artifact->content);
  }
}

/// Cuts the content into tasks.
void Execution::start(Job& job, const std::string& content) {
  const auto& item = items_[job.item];
  const auto window = usable_tokens(tools_.summarizer_window_tokens);
  const bool whole = tools_.counter.count_up_to(content, window) <= window;
  if (!whole && calls_left_ == 0) return fail_job(job, "no model calls left");
  const auto target = whole ? target_token_bucket(item.decision.target_tokens) : leaf_summary_tokens(window);
  auto parts = whole ? std::vector<std::string>{content} : leaves_of(content, leaf_tokens(window), tools_.counter);
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
    // What is left at the end may be too short to summarise.
    if (!whole && tools_.counter.count_up_to(task.text, target) <= target) {
      task.summary = task.text;
      task.state = State::done;
    }
    job.tasks.push_back(std::move(task));
  }
  look_up(job);
}

/// Why one of the summaries that are not there was refused lately; empty where none was.
std::string Execution::refused_before(const std::vector<SummaryKey>& keys,
                                      const std::vector<std::optional<std::string>>& found) const {
  std::vector<SummaryKey> missing;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!found[i]) missing.push_back(refusal_key(keys[i]));
  }
  if (missing.empty()) return {};
  for (auto& why : tools_.cache.lookup(missing, tools_.call)) {
    if (why) return std::move(*why);
  }
  return {};
}

/// What is cached is there; the rest is to be called for, unless that takes more calls than are left. Flights are joined
/// before the cache is read: who leads then knows that nobody has finished in between.
void Execution::look_up(Job& job) {
  std::vector<SummaryKey> keys;
  std::vector<Task*> open;
  for (auto& task : job.tasks) {
    if (task.state == State::done) continue;
    open.push_back(&task);
    keys.push_back(task.key);
    if (tools_.flights == SharedFlights::join && calls_left_ > 0)
      task.flight = SummaryFlight::claim(tools_.cache, task.key);
  }
  auto found = tools_.cache.lookup(keys, tools_.call);
  if (const auto why = refused_before(keys, found); !why.empty()) return fail_job(job, "refused before: " + why);
  std::size_t missing = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    auto& task = *open[i];
    ++(found[i] ? cache_stats_.hits : cache_stats_.misses);
    if (!found[i]) {
      ++missing;
      if (task.flight && !task.flight->is_leader()) task.state = State::elsewhere;
      continue;
    }
    task.flight.reset();
    task.summary = std::move(*found[i]);
    task.cache_hit = true;
    task.state = State::done;
  }
  if (missing > calls_left_) return fail_job(job, "no model calls left");
  if (!set_aside(job)) return fail_job(job, std::string(over_limit));
  calls_left_ -= missing;
  advance(job);
}

LlmRequest Execution::request_of(const Job& job, const Task& task) const {
  const auto& item = items_[job.item];
  auto request = make_summary_request(task.text, provenance_of(*item.artifact), item.decision.summarization_focus,
                                      task.target, tools_.summarizer);
  request.scope = tools_.scope;
  return request;
}

/// The most that the job's calls can take, if there is a limit. False where it is too much.
bool Execution::set_aside(Job& job) {
  if (!tools_.cap.is_limited()) return true;
  Spending all;
  for (auto& task : job.tasks) {
    if (task.state != State::wanted && task.state != State::elsewhere) continue;
    task.set_aside = most_of(request_of(job, task), tools_.counter, tools_.summarizer_prices);
    all.tokens += task.set_aside.tokens;
    all.usd += task.set_aside.usd;
  }
  if (!tools_.cap.allows(all)) return false;
  tools_.cap.take(all);
  return true;
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
      calls.push_back({*task.call_id, request_of(job, task)});
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
        give_back(task, response->usage);
        // What the call asked for may be said, too.
        const auto source = task.text + '\n' + provenance_of(*items_[job.item].artifact);
        summary = accept_summary(*response, source, task.target, tools_.counter);
        // Remembered, so that the next build does not pay for it again.
        if (!summary) tools_.cache.store(refusal_key(task.key), summary.error().message, tools_.call);
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

/// What was set aside for a call, less what it took.
void Execution::give_back(Task& task, const UsageMetadata& usage) {
  const auto took = spending_of(usage, tools_.summarizer_prices);
  tools_.cap.take({took.tokens - task.set_aside.tokens, took.usd - task.set_aside.usd});
}

bool Execution::done() const {
  return std::all_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.failed || job.finished; });
}

/// For one of them only: what it brings may have to be asked for at once, since others may wait for that.
void Execution::wait_for_others() {
  for (auto& job : jobs_) {
    if (job.failed || job.finished) continue;
    for (auto& task : job.tasks) {
      if (task.state != State::elsewhere) continue;
      auto answer = task.flight->wait(tools_.call);
      if (!answer) {
        // It leads now, or whoever leads takes too long: made here, and handed to nobody.
        if (!task.flight->is_leader()) task.flight.reset();
        task.state = State::wanted;
        return;
      }
      task.flight.reset();
      give_back(task, {});
      task.state = *answer ? State::done : State::failed;
      if (*answer) task.summary = std::move(**answer);
      if (!*answer) job.failure = answer->error().message;
      return advance(job);
    }
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
