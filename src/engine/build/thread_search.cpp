#include "engine/build/thread_search.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/history/share.hpp"
#include "engine/history/task.hpp"

namespace ctxmgr::engine {
namespace {

/// How many ranges of evidence a state still has room for: what the host kept and said takes some of them.
std::size_t ranges_left(const GrownThread& thread) {
  constexpr std::size_t bytes_of_range = 8;
  auto taken = (thread.host_text.size() + thread.kept.size() * bytes_of_range) / bytes_of_range;
  for (const auto& shown : thread.evidence) taken += ranges_of({shown.made});
  return most_kept_ranges - std::min(most_kept_ranges, taken);
}

constexpr std::size_t most_requests = 4;

std::int64_t most_of_task(const GrowthTerms& terms) {
  return capped(most_evidence(terms.policy().evidence_share, terms.room), terms.policy());
}

/// What the user wanted when the thread was compacted, oldest first. A question that was asked last gets evidence of its own.
std::vector<std::size_t> running_requests(const GrowthTerms& terms, std::size_t compacted_at) {
  auto asked = terms.thread().roles().requests(compacted_at);
  if (!asked.empty() && asked.back() + 1 == compacted_at) {
    const auto most = most_of_task(terms);
    if (wanted_by(terms, asked.back()).most >= most) asked.pop_back();
  }
  const auto least = part(task_message_share, terms.room);
  std::vector<std::size_t> running;
  for (auto message = asked.rbegin(); message != asked.rend(); ++message) {
    running.insert(running.begin(), *message);
    if (terms.thread().tokens_of(*message) >= least || running.size() == most_requests) break;
  }
  return running;
}

}  // namespace

WantedEvidence wanted_by(const GrowthTerms& terms, std::size_t message) {
  const auto share = terms.policy().evidence_share;
  if (share == 0 || terms.input.inputs.request.planning.mode == PlannerMode::none) return {};
  return capped(evidence_wanted(text_of(terms.history()[message]), terms.is_loop, share, terms.room), terms.policy());
}

ThreadSearch search_of(const GrowthTerms& terms, const GrownThread& thread, std::size_t end, std::int64_t tokens) {
  ThreadSearch search;
  search.end = end;
  search.cut = thread.cut;
  search.tokens = tokens;
  search.most_ranges = ranges_left(thread);
  const auto last_of = [&terms](std::size_t first) {
    return terms.thread().groups()[terms.thread().group_of(first)].last;
  };
  for (const auto& [message, most] : thread.extracts) search.extracts.push_back(message);
  for (const auto first : thread.steering.rules.dropped)
    for (auto i = first; i < last_of(first); ++i)
      if (i >= thread.cut) search.extracts.push_back(i);
  std::sort(search.extracts.begin(), search.extracts.end());
  for (const auto& message : task_of(terms, thread, thread.cut).task)
    if (message.whole) search.shown.push_back(message.message);
  for (const auto first : thread.kept)
    for (auto i = first; i < last_of(first); ++i) search.shown.push_back(i);
  for (const auto& shown : thread.evidence) search.former.push_back(shown.made);
  return search;
}

GrownThread with_task_evidence(const GrowthTerms& terms, GrownThread thread) {
  const auto is_made = [](const ShownEvidence& shown) { return shown.made.compactions == made_by_compaction; };
  const bool is_there = std::any_of(thread.evidence.begin(), thread.evidence.end(), is_made);
  if (thread.head.notes == 0 || !terms.is_loop || is_there || !hides_anything(thread)) return thread;
  const auto requests = running_requests(terms, thread.compacted_at);
  if (requests.empty() || wanted_by(terms, requests.back()).most == 0) return thread;
  // Where the room was too small for both, notes and evidence each have the same part of their share.
  const auto made = room_for_made(terms, task_of(terms, thread, thread.compacted_at).tokens);
  const auto share = static_cast<double>(made.evidence) / static_cast<double>(made.notes + made.evidence);
  const auto most = std::min(most_of_task(terms), part(share, thread.head.notes));
  if (most < least_block_tokens) return thread;
  auto search = search_of(terms, thread, thread.compacted_at, most);
  for (const auto message : requests) {
    search.query += text_of(terms.history()[message]) + "\n";
    search.shown.push_back(message);  // What asks answers nothing.
  }
  for (const auto& message : task_of(terms, thread, thread.cut).task)
    search.shown_task += text_of(message.as_sent) + "\n";
  search.question = requests.back();
  search.hinted_by = thread.compacted_at;
  search.compactions = made_by_compaction;
  const auto found = find_in_thread(terms.input, search);
  if (!found) return thread;
  if (auto shown = show_evidence(terms.input, *found)) thread.evidence.push_back(std::move(*shown));
  return thread;
}

}  // namespace ctxmgr::engine
