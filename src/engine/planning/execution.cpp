#include "engine/planning/execution.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/most_tokens.hpp"
#include "core/sha256.hpp"
#include "engine/extracts/artifact_title.hpp"
#include "engine/planning/plan_repair.hpp"
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

}  // namespace

SummaryKey make_summary_key(const Artifact& artifact, std::string focus, std::int64_t target,
                            const SummaryTerms& terms) {
  return {terms.scope,
          artifact.artifact_id,
          content_hash(artifact),
          ProcessingStrategy::summarize,
          std::move(focus),
          terms.summarizer,
          target,
          prompt_version(terms.instructions) + (terms.checks ? ", checked" : ""),
          artifact.trust};
}

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
  if (item.segment_tokens > 0) return start_segments(job, content);
  const auto window = usable_tokens(tools_.summarizer_window_tokens);
  const bool whole = tools_.counter.count_up_to(content, window) <= window;
  if (!whole && calls_left_ == 0) return fail_job(job, std::string(no_calls));
  const auto target = whole ? target_token_bucket(item.decision.target_tokens) : leaf_summary_tokens(window);
  auto parts = whole ? std::vector<std::string>{content} : leaves_of(content, leaf_tokens(window), tools_.counter);
  job.tasks.clear();
  for (auto& part : parts) {
    Task task;
    task.target = target;
    const bool original = whole && !job.merged;
    task.key = key_of(item, item.artifact->artifact_id, original ? content_hash(*item.artifact) : sha256_hex(part),
                      item.decision.summarization_focus, target);
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

/// Why each of the summaries that are not there was refused lately; empty where it was not.
std::vector<std::string> Execution::refused_before(const std::vector<SummaryKey>& keys,
                                                   const std::vector<std::optional<std::string>>& found) const {
  std::vector<SummaryKey> missing;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (found[i]) continue;
    missing.push_back(refusal_key(keys[i]));
    positions.push_back(i);
  }
  std::vector<std::string> refused(keys.size());
  if (missing.empty()) return refused;
  auto why = tools_.cache.lookup(missing, tools_.call);
  for (std::size_t i = 0; i < why.size(); ++i) refused[positions[i]] = std::move(why[i]).value_or("");
  return refused;
}

/// What is cached is there; the rest is to be called for, unless that takes more calls than are left. Flights are joined
/// before the cache is read: who leads then knows that nobody has finished in between.
void Execution::look_up(Job& job) {
  std::vector<SummaryKey> keys;
  std::vector<Task*> open;
  for (auto& task : job.tasks) {
    if (task.state != State::wanted) continue;
    open.push_back(&task);
    keys.push_back(task.key);
    if (tools_.flights == SharedFlights::join && calls_left_ > 0)
      task.flight.emplace(SummaryFlight::claim(tools_.cache, task.key));
  }
  auto found = tools_.cache.lookup(keys, tools_.call);
  const auto refused = refused_before(keys, found);
  for (std::size_t i = 0; i < open.size(); ++i) {
    auto& task = *open[i];
    ++(found[i] ? cache_stats_.hits : cache_stats_.misses);
    if (!refused[i].empty()) {
      leave_out(task, "refused before: " + refused[i]);
      continue;
    }
    if (!found[i] && tools_.failed != nullptr && tools_.failed->failed_lately(task.key, tools_.now)) {
      leave_out(task, "it failed less than a minute ago");
      continue;
    }
    if (!found[i]) {
      if (task.flight && !task.flight->is_leader()) task.state = State::elsewhere;
      continue;
    }
    task.flight.reset();
    task.summary = std::move(*found[i]);
    task.cache_hit = true;
    task.state = State::done;
  }
  call_for_missing(job);
  advance(job);
}

/// What is missing is called for as far as calls and their limit reach: all of it or nothing, but
/// for segments.
void Execution::call_for_missing(Job& job) {
  if (job.in_segments) return call_for_segments(job);
  std::vector<Task*> missing;
  for (auto& task : job.tasks) {
    if (task.state == State::failed) return fail_job(job, task.failure);
    if (task.state != State::done) missing.push_back(&task);
  }
  if (missing.size() * calls_each() > calls_left_) return fail_job(job, std::string(no_calls));
  if (!set_aside(job, missing)) return fail_job(job, std::string(over_limit));
  calls_left_ -= missing.size() * calls_each();
}

/// A task that is not called for.
void Execution::leave_out(Task& task, std::string why) {
  task.state = State::failed;
  task.failure = std::move(why);
  task.flight.reset();
}

std::string Execution::source_of(const Job& job) const {
  return job.in_segments ? std::string(conversation_provenance) : provenance_of(*items_[job.item].artifact);
}

LlmRequest Execution::request_of(const Job& job, const Task& task) const {
  const auto& item = items_[job.item];
  const auto focus = job.in_segments ? conversation_focus : std::string_view(item.decision.summarization_focus);
  auto request =
      make_summary_request(task.text, source_of(job), focus, task.target, tools_.summarizer, tools_.instructions);
  request.scope = tools_.scope;
  return request;
}

/// The most that the calls can take, if there is a limit. False where it is too much.
bool Execution::set_aside(const Job& job, const std::vector<Task*>& tasks) {
  if (!tools_.cap.is_limited()) return true;
  std::int64_t all = 0;
  for (auto* task : tasks) {
    task->set_aside = most_of(request_of(job, *task), tools_.counter, tools_.summarizer_prices).tokens;
    if (tools_.checks) task->set_aside += most_of_check(*task);
    all += task->set_aside;
  }
  if (!tools_.cap.allows(all)) return false;
  tools_.cap.take(all);
  return true;
}

/// Once all parts are there: the summary itself, or the parts' summaries as a text to summarise.
void Execution::advance(Job& job) {
  if (job.failed || job.finished) return;
  for (const auto& task : job.tasks) {
    if (task.state == State::failed && !job.in_segments) return fail_job(job, task.failure);
    if (task.state != State::done && task.state != State::failed) return;
  }
  if (job.in_segments || job.tasks.size() == 1) {
    job.finished = true;
    return;
  }
  std::string joined;
  for (const auto& task : job.tasks) joined += task.summary + '\n';
  job.merged = true;
  start(job, joined);
}

SummaryKey Execution::key_of(const ExecutionItem& item, std::string source, std::string content_hash, std::string focus,
                             std::int64_t target) const {
  auto key = make_summary_key(*item.artifact, std::move(focus), target,
                              {tools_.scope, tools_.summarizer, tools_.instructions, tools_.checks});
  key.artifact_id = std::move(source);
  key.content_hash = std::move(content_hash);
  return key;
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
      if (task.state != State::wanted && task.state != State::unchecked) continue;
      const bool is_check = task.state == State::unchecked;
      task.state = is_check ? State::being_checked : State::asked;
      task.call_id = next_id_++;
      calls.push_back({*task.call_id, is_check ? check_of(task) : request_of(job, task)});
    }
  }
  return calls;
}

LlmRequest Execution::check_of(const Task& task) const {
  auto request = make_check_request(task.text, task.summary, tools_.summarizer);
  request.scope = tools_.scope;
  return request;
}

/// Of the call that will compare a summary, which may be longer than its target by a fifth.
std::int64_t Execution::most_of_check(const Task& task) const {
  const auto request = make_check_request(task.text, {}, tools_.summarizer);
  return most_of(request, tools_.counter, tools_.summarizer_prices).tokens +
         std::min(longest_summary_tokens(task.target) + 1, most_tokens);
}

/// The summary that there is after a reply.
Result<std::string> Execution::read_reply(const Job& job, const Task& task, const LlmResponse& response) const {
  if (task.state == State::being_checked) return read_check(response).map([&task] { return task.summary; });
  // What the call asked for may be said, too.
  return accept_summary(response, task.text + '\n' + source_of(job), task.target, tools_.counter, tools_.instructions);
}

void Execution::reply(std::size_t id, Result<LlmResponse> response) {
  for (auto& job : jobs_) {
    for (auto& task : job.tasks) {
      if (task.call_id != id || (task.state != State::asked && task.state != State::being_checked)) continue;
      Result<std::string> summary = tl::unexpected(Error{});
      if (response) {
        usage_ = usage_ + response->usage;
        task.used = task.used + response->usage;
        summary = read_reply(job, task, *response);
        // Remembered, so that the next build does not pay for it again.
        if (!summary) tools_.cache.store(refusal_key(task.key), summary.error().message, tools_.call);
      } else {
        summary = tl::unexpected(response.error());
        if (tools_.failed != nullptr) tools_.failed->add(task.key, tools_.now);
      }
      ++replies_;
      if (!summary) {
        ++failed_replies_;
        last_failure_ = summary.error();
      }
      if (summary && tools_.checks && task.state == State::asked) {
        task.summary = std::move(*summary);
        task.state = State::unchecked;
        return;
      }
      if (response) give_back(task);  // Nobody knows what a call took that failed.
      settle(task, std::move(summary));
      return advance(job);
    }
  }
}

void Execution::settle(Task& task, Result<std::string> summary) {
  if (task.flight) {
    task.flight->finish(summary, tools_.call);
    task.flight.reset();
  } else if (summary) {
    tools_.cache.store(task.key, *summary, tools_.call);
  }
  task.state = summary ? State::done : State::failed;
  if (summary) task.summary = std::move(*summary);
  if (!summary) task.failure = summary.error().message;
}

/// What was set aside for a task's calls, less what they took.
void Execution::give_back(Task& task) {
  tools_.cap.take(spending_of(task.used, tools_.summarizer_prices).tokens - task.set_aside);
}

std::optional<Error> Execution::failure() const {
  if (replies_ == 0 || failed_replies_ < replies_) return std::nullopt;
  auto error = last_failure_;
  error.message = "none of " + std::to_string(replies_) +
                  " calls brought a summary, the last for this reason: " + error.message + ". They took " +
                  std::to_string(usage_.total_tokens()) + " tokens";
  return error;
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
      give_back(task);
      task.state = *answer ? State::done : State::failed;
      if (*answer) task.summary = std::move(**answer);
      if (!*answer) task.failure = answer->error().message;
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
  if (item.decision.strategy == ProcessingStrategy::exclude || is_left_open(item.decision)) return {};
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
    texts[i] = job->in_segments ? summarized_segments(*job)
               : job->finished
                   ? summarized(*job)
                   : extracted(items_[i], "extracted: " + (job->failure.empty() ? "no summary in time" : job->failure));
    ++job;
  }
  jobs_.clear();
  return texts;
}

}  // namespace ctxmgr::engine
