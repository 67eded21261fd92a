#include <algorithm>
#include <utility>

#include "core/sha256.hpp"
#include "engine/planning/execution.hpp"
#include "engine/summaries/leaves.hpp"
#include "engine/summaries/summarizer_call.hpp"
#include "engine/summaries/summary_entry.hpp"

/// How an execution summarises a conversation: in segments, each for itself.
namespace ctxmgr::engine {

/// A task for each segment, but not for the last, which still grows, unless it is all there is.
void Execution::start_segments(Job& job, const std::string& content) {
  const auto& item = items_[job.item];
  const auto size = std::min(item.segment_tokens, leaf_tokens(usable_tokens(tools_.summarizer_window_tokens)));
  auto parts = leaves_of(content, size, tools_.counter);
  job.in_segments = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Task task;
    task.target = target_token_bucket(segment_summary_tokens(size) * 5 / 6);  // A reply may be longer by a fifth.
    task.key = key_of(item, std::string(conversation_provenance), sha256_hex(parts[i]), std::string(conversation_focus),
                      task.target);
    task.text = std::move(parts[i]);
    if (i > 0 && i + 1 == parts.size()) task.state = State::failed;
    job.tasks.push_back(std::move(task));
  }
  look_up(job);
}

/// Of what is missing the newest is called for, and none that is older than there is room for. The newest is asked for as
/// long as others are, whatever the room: a shorter summary would be another one, and paid for again.
void Execution::call_for_segments(Job& job) {
  auto room = items_[job.item].decision.target_tokens;
  bool newest = true;
  for (auto task = job.tasks.rbegin(); task != job.tasks.rend(); ++task) {
    if (task->state == State::failed) continue;
    room -= longest_summary_tokens(task->target);
    const bool is_newest = std::exchange(newest, false);
    if (task->state == State::done) continue;
    if (room < 0 && !is_newest) {
      leave_out(*task, "no room for its summary");
    } else if (calls_left_ < calls_each()) {
      leave_out(*task, std::string(no_calls));
    } else if (!set_aside(job, {&*task})) {
      leave_out(*task, std::string(over_limit));
    } else {
      calls_left_ -= calls_each();
    }
  }
}

std::string Execution::extract_of(const Task& task, const ExecutionItem& item) const {
  Artifact part = make_document(item.artifact->artifact_id, task.text);
  part.artifact_type = item.artifact->artifact_type;
  return tools_.retriever.summarize(part, item.decision.summarization_focus, task.target, tools_.counter).text;
}

/// The newest segments that fit into the target, by their summaries; by extracts where there is none. Without any summary, an
/// extract of the whole.
ProcessedText Execution::summarized_segments(const Job& job) const {
  const auto& item = items_[job.item];
  ProcessedText processed{ProcessingStrategy::summarize, {}, 0, true, {}};
  std::string failure;
  bool any = false;
  for (auto task = job.tasks.rbegin(); task != job.tasks.rend(); ++task) {
    const bool is_summary = task->state == State::done;
    auto text = is_summary ? task->summary : extract_of(*task, item);
    if (text.empty()) continue;
    if (text.back() != '\n') text += '\n';
    auto with = text + processed.text;
    if (is_summary && !any && tools_.counter.count(with) > item.decision.target_tokens)
      with = whole_sentences_within(task->summary, item.decision.target_tokens, tools_.counter);
    const auto tokens = tools_.counter.count(with);
    if (with.empty() || tokens > item.decision.target_tokens) break;
    processed.text = std::move(with);
    processed.tokens = tokens;
    processed.cache_hit &= task->cache_hit || !is_summary;
    any |= is_summary;
    if (failure.empty()) failure = task->failure;
  }
  if (!any) return extracted(item, failure.empty() ? "extracted: no summary in time" : "extracted: " + failure);
  if (!failure.empty()) processed.reason = "part of it extracted: " + failure;
  return processed;
}

}  // namespace ctxmgr::engine
