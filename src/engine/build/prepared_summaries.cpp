#include "engine/build/prepared_summaries.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/utf8.hpp"
#include "engine/build/evidence.hpp"
#include "engine/summaries/leaves.hpp"
#include "engine/summaries/summarizer_call.hpp"
#include "engine/summaries/summary_entry.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_bytes_per_token = 8;  // Of a segment that one long message makes longer than others.

std::int64_t segment_size(const LayoutInput& q) {
  const auto window = q.inputs.services->options.catalog.find(q.inputs.request.models.summarizer).context_window_tokens;
  // A segment may be longer by half.
  return std::min(segment_tokens(q.prepared.budget.max_input), leaf_tokens(usable_tokens(window)) * 2 / 3);
}

/// A reply may be longer by a fifth.
std::int64_t target_of(std::int64_t size) { return target_token_bucket(segment_summary_tokens(size) * 5 / 6); }

/// The same for every build: neither the question nor the time of asking goes into its text or its key.
Artifact artifact_of_segment(const LayoutInput& q, MessageRange range) {
  const auto& history = q.inputs.context.conversation_history;
  Artifact segment;
  segment.artifact_id = std::string(conversation_provenance);
  segment.artifact_type = ArtifactType::conversation;
  segment.source = std::string(conversation_provenance);
  const auto most = static_cast<std::size_t>(segment_size(q)) * most_bytes_per_token;
  for (auto i = range.first; i < range.last && segment.content.size() < most; ++i) {
    if (q.prepared.thread().groups()[q.prepared.thread().group_of(i)].fixed) continue;
    const auto text = indexed_text(q.prepared.thread(), history, i).text;
    if (history[i].role == Role::tool) segment.content += piece_header(history, i) + ": ";
    if (!text.empty()) segment.content += text + '\n';
  }
  if (segment.content.size() > most) segment.content.resize(utf8::floor_boundary(segment.content, most));
  return segment;
}

SummaryKey key_of_segment(const LayoutInput& q, const Artifact& segment) {
  const auto& request = q.inputs.request;
  return make_summary_key(segment, std::string(conversation_focus), target_of(segment_size(q)),
                          {request.scope, request.models.summarizer, request.planning.summary_instructions,
                           request.planning.check_summaries});
}

/// Everything that their summaries depend on.
Fingerprint print_of(const LayoutInput& q, const std::vector<MessageRange>& ranges) {
  const auto& request = q.inputs.request;
  auto print = fingerprint(request.scope, q.prepared.thread().fingerprint_at(ranges.back().last));
  print = fingerprint(request.models.summarizer, print);
  print = fingerprint(prompt_version(request.planning.summary_instructions), print);
  print = fingerprint(request.planning.check_summaries ? "checked" : "", print);
  print = fingerprint(std::to_string(segment_size(q)), print);
  return fingerprint({reinterpret_cast<const char*>(ranges.data()), ranges.size() * sizeof(MessageRange)}, print);
}

std::size_t complete_before(const std::vector<MessageRange>& segments, std::size_t cut) {
  return static_cast<std::size_t>(std::count_if(segments.begin(), segments.end(),
                                                [cut](const MessageRange& segment) { return segment.last <= cut; }));
}

}  // namespace

std::vector<MessageRange> thread_segments(const ThreadAnalysis& thread, std::int64_t tokens) {
  std::vector<MessageRange> segments;
  const auto& groups = thread.groups();
  const std::size_t last = groups.empty() ? 0 : groups.size() - 1;  // It may still grow.
  const auto rank = [&](std::size_t group) { return thread.hash_of(groups[group].last - 1); };
  std::size_t first = 0;
  std::size_t end = last;  // There is none yet.
  std::int64_t so_far = 0;
  for (std::size_t g = 0; g < last; ++g) {
    so_far += groups[g].tokens;
    const bool is_full = so_far > tokens + tokens / 2;
    if (so_far >= tokens / 2 && (end == last || (!is_full && rank(g) < rank(end)))) end = g;
    if (!is_full) continue;
    segments.push_back({groups[first].first, groups[end].last});
    g = end;
    first = g + 1;
    end = last;
    so_far = 0;
  }
  return segments;
}

std::vector<NotedSummary> find_summaries(const LayoutInput& q, std::size_t cut) {
  if (!q.inputs.may_use_models() || !q.inputs.keeps_summaries()) return {};
  auto segments = thread_segments(q.prepared.thread(), segment_size(q));
  segments.resize(complete_before(segments, cut));
  if (segments.size() > most_noted_summaries)
    segments.erase(segments.begin(), segments.end() - static_cast<std::ptrdiff_t>(most_noted_summaries));
  return summaries_again(q, segments);
}

std::vector<NotedSummary> summaries_again(const LayoutInput& q, const std::vector<MessageRange>& ranges) {
  auto& memo = q.known.memo;
  if (ranges.empty()) return {};
  const auto print = print_of(q, ranges);
  if (memo.told.size() == ranges.size() && memo.told_key == print) return memo.told;
  std::vector<SummaryKey> keys;
  keys.reserve(ranges.size());
  for (const auto& range : ranges) keys.push_back(key_of_segment(q, artifact_of_segment(q, range)));
  auto texts = q.inputs.services->summaries.lookup(keys, q.inputs.call);
  std::vector<NotedSummary> found;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i]) found.push_back({ranges[i], std::move(*texts[i])});
  memo.told = found;
  memo.told_key = print;
  return found;
}

std::vector<Artifact> segments_to_prepare(const LayoutInput& q, const Layout& layout) {
  std::vector<Artifact> artifacts;
  const auto full = prepared_fill * static_cast<double>(q.prepared.total_room);
  if (!q.inputs.may_use_models() || !q.inputs.keeps_summaries() || q.inputs.request.history.notes_share == 0 ||
      !layout.compaction || static_cast<double>(layout.compaction->tokens_before) < full)
    return artifacts;
  const auto segments = thread_segments(q.prepared.thread(), segment_size(q));
  const auto before = complete_before(segments, layout.suffix.cut);
  // Where the next cut will be depends on what is still to come: from what notes would have room for now, all that it can hide.
  for (auto i = before - std::min(before, most_noted_summaries); i < segments.size(); ++i)
    artifacts.push_back(artifact_of_segment(q, segments[i]));
  return artifacts;
}

ExecutionItem item_of_segment(const LayoutInput& q, const Artifact& segment) {
  ExecutionItem item;
  item.artifact = &segment;
  item.decision.artifact_id = segment.artifact_id;
  item.decision.strategy = ProcessingStrategy::summarize;
  item.decision.summarization_focus = std::string(conversation_focus);
  item.decision.target_tokens = target_of(segment_size(q));
  return item;
}

}  // namespace ctxmgr::engine
