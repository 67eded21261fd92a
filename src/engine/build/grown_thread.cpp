#include "engine/build/grown_thread.hpp"

#include <algorithm>
#include <utility>

#include "core/history/history_demands.hpp"
#include "engine/history/host_compaction.hpp"
#include "engine/history/share.hpp"
#include "engine/history/thread_head.hpp"

namespace ctxmgr::engine {
namespace {

/// An extract of less says nothing.
constexpr std::int64_t least_result = 64;

/// Evidence for the task has at least so many tokens or this share of what the task leaves, whichever is less. 1 200 tokens, as a
/// question has, took the trace's room at 8 000: newest outcomes in sessions fell from 83.7 to 76.4 %.
constexpr std::int64_t least_for_task = 800;
constexpr double least_task_share = 0.2;

std::int64_t least_limit(const ThreadAnalysis& thread) {
  std::int64_t least = 0;
  for (const auto& rule : thread.rules())
    if (rule.max_result_tokens && (least == 0 || *rule.max_result_tokens < least)) least = *rule.max_result_tokens;
  return least;
}

/// What a group of the kept history counts less.
std::int64_t saved_of(const GrowthTerms& terms, const Steering& steering, std::size_t g) {
  const auto& group = terms.thread().groups()[g];
  const auto& dropped = steering.rules.dropped;
  if (std::binary_search(dropped.begin(), dropped.end(), group.first)) return terms.sizes.of(group);
  const bool is_over = group.first < steering.reasoning_before && !terms.suffixes().is_fixed(g);
  return is_over ? terms.thread().reasoning_tokens(group.first) : 0;
}

HeadInput head_input_of(const GrowthTerms& terms, const GrownThread& thread) {
  return {terms.history(),
          terms.input.known.analysis,
          terms.input.known.memo,
          terms.counter(),
          thread.head.room,
          terms.policy().notes_share > 0,
          thread.head.task,
          most_notes(terms.policy(), thread),
          terms.prepared().handles.get(),
          thread.compacted_at,
          thread.kept,
          {}};
}

}  // namespace

SentSizes::SentSizes(const LayoutInput& input, std::size_t from, std::int64_t room)
    : thread_(input.prepared.thread()),
      history_(input.inputs.context.conversation_history),
      suffixes_(*input.prepared.suffixes),
      views_(*input.prepared.views),
      memo_(input.known.memo),
      has_handles_(input.prepared.handles && input.prepared.handles->any()),
      question_(*input.prepared.gathered.question),
      question_tokens_(thread_.tokens_of(question_)),
      from_(from),
      room_(room),
      least_rule_(least_limit(thread_)) {
  if (const auto& shrunk = input.prepared.fixed.shrunk_question)
    question_tokens_ = std::min(question_tokens_, input.prepared.counter->count_message(*shrunk));
  tokens_before_.reserve(thread_.groups().size() + 1);
  tokens_before_.push_back(0);
  for (const auto& group : thread_.groups()) tokens_before_.push_back(tokens_before_.back() + of(group));
}

bool SentSizes::is_result(std::size_t message) const {
  const auto role = history_[message].role;
  return role == Role::tool || (role == Role::user && message != question_ && suffixes_.is_output(message));
}

std::int64_t SentSizes::most_of_result(std::size_t message) const {
  const auto most = std::max<std::int64_t>(part(result_share, room_), least_result);
  if (least_rule_ == 0 || thread_.tokens_of(message) <= least_rule_) return most;
  const auto* const call = history_[message].role == Role::tool ? call_answered_by(history_, message) : nullptr;
  if (call == nullptr) return most;
  return std::min(most, find_tool_rule(thread_.rules(), call->name).max_result_tokens.value_or(most));
}

std::int64_t SentSizes::as_extract(std::size_t message, std::int64_t most) const {
  if (thread_.tokens_of(message) <= most) return thread_.tokens_of(message);
  const auto [known, fresh] = memo_.extract_tokens.try_emplace({message, most, has_handles_});
  if (fresh) known->second = views_.extracted(message, most).tokens;
  return known->second;
}

std::int64_t SentSizes::of_message(std::size_t message) const {
  if (message == question_) return question_tokens_;
  const auto tokens = thread_.tokens_of(message);
  if (!is_result(message)) return tokens;
  const auto most = most_of_result(message);
  const bool is_asked_for = message >= from_ && !suffixes_.is_fixed(thread_.group_of(message));
  return tokens > most && is_asked_for ? as_extract(message, most) : std::min(tokens, most);
}

std::int64_t SentSizes::of(const Group& group) const {
  const bool is_beside = group.fixed && !(group.pending && !group.pinned);
  if (is_beside) return 0;
  std::int64_t tokens = 0;
  for (auto i = group.first; i < group.last; ++i) tokens += of_message(i);
  return tokens;
}

std::int64_t SentSizes::between(std::size_t first, std::size_t end) const {
  return tokens_before_[group_at(end)] - tokens_before_[group_at(first)];
}

std::size_t SentSizes::group_at(std::size_t message) const {
  return message < thread_.size() ? thread_.group_of(message) : thread_.groups().size();
}

std::int64_t most_documents(bool is_loop, std::int64_t room) { return is_loop ? part(documents_share, room) : room; }

GrowthTerms growth_terms(const LayoutInput& input, bool is_loop, std::int64_t documents_wanted) {
  const auto& prepared = input.prepared;
  const auto question = *prepared.gathered.question;
  const auto room = prepared.total_room;
  const auto steps = prepared.budget.max_input - prepared.fixed.tokens - prepared.room;
  const bool goes_on = prepared.previous && prepared.previous->max_input == prepared.budget.max_input;
  return {input,
          is_loop,
          documents_wanted,
          question,
          room,
          std::max<std::int64_t>(0, room - steps),
          SentSizes(input, goes_on ? prepared.previous->cut : 0, room)};
}

ThreadHead task_of(const GrowthTerms& terms, const GrownThread& thread, std::size_t cut) {
  return make_task(head_input_of(terms, thread), cut);
}

ThreadHead made_head(const GrowthTerms& terms, const GrownThread& thread) {
  return make_head(head_input_of(terms, thread), thread.cut);
}

GrownThread with_cut(const GrowthTerms& terms, GrownThread thread, std::size_t cut) {
  thread.cut = cut;
  thread.task_tokens = task_of(terms, thread, cut).tokens;
  return thread;
}

GrownThread with_kept(const GrowthTerms& terms, GrownThread thread, std::vector<std::size_t> groups) {
  thread.kept = std::move(groups);
  thread.kept_tokens = 0;
  for (const auto first : thread.kept)
    thread.kept_tokens += terms.thread().groups()[terms.thread().group_of(first)].tokens;
  return thread;
}

GrownThread with_behind(const GrowthTerms& terms, GrownThread thread) {
  thread.behind.clear();
  if (auto states = render_states(terms.history(), thread.steering.rules.states, states_before(thread, thread.cut),
                                  thread.head.state, terms.counter()))
    thread.behind.push_back(std::move(*states));
  if (!thread.host_text.empty()) thread.behind.push_back(host_message(thread.host_text));
  thread.behind_tokens = 0;
  for (const auto& message : thread.behind) thread.behind_tokens += terms.counter().count_message(message);
  return thread;
}

Steering steering_at(const GrowthTerms& terms, std::size_t compacted_at) {
  Steering steering;
  if (compacted_at == 0) return steering;
  const auto& thread = terms.thread();
  steering.rules = steer(thread, terms.history(), compacted_at, newest_step(terms, compacted_at));
  const auto& model = terms.prepared().model;
  if (!thread.reasoning().empty() && !needs_past_reasoning(model.provider, model.model)) {
    const auto asked = thread.roles().asked(compacted_at);
    steering.reasoning_before = asked.empty() ? 0 : asked.back();
  }
  if (steering.rules.dropped.empty() && steering.reasoning_before == 0) return steering;
  auto& sums = steering.saved_before;
  sums.assign(1, 0);
  for (std::size_t g = 0; g < thread.groups().size(); ++g) sums.push_back(sums.back() + saved_of(terms, steering, g));
  return steering;
}

std::size_t newest_step(const GrowthTerms& terms, std::size_t end) {
  const auto& groups = terms.thread().groups();
  // A group whose results came after `end` was there.
  for (auto g = end == 0 ? 0 : terms.thread().group_of(end - 1) + 1; g-- > 0;)
    if (terms.history()[groups[g].first].role == Role::assistant) return groups[g].first;
  return end == 0 ? 0 : groups[terms.sizes.group_at(end - 1)].first;
}

std::size_t states_before(const GrownThread& thread, std::size_t cut) {
  const auto& states = thread.steering.rules.states;
  return static_cast<std::size_t>(
      std::count_if(states.begin(), states.end(), [cut](const LatestState& state) { return state.message < cut; }));
}

bool hides_anything(const GrownThread& thread) {
  return thread.cut > 0 || !thread.extracts.empty() || !thread.steering.rules.dropped.empty();
}

std::int64_t evidence_tokens(const GrownThread& thread) {
  std::int64_t tokens = 0;
  for (const auto& shown : thread.evidence)
    if (shown.made.compactions != made_by_compaction) tokens += shown.tokens;
  return tokens;
}

MadeRoom room_for_made(const GrowthTerms& terms, std::int64_t task_tokens) {
  const auto& policy = terms.policy();
  const auto notes = part(policy.notes_share, terms.room);
  if (!terms.is_loop || notes == 0) return {notes, 0};
  const auto left = terms.room - task_tokens;
  const auto share = part(policy.evidence_share, left);
  const auto least = std::min(least_for_task, part(least_task_share, left));
  const auto evidence = share > 0 ? std::max(share, least) : 0;
  // What evidence takes beyond its share in a small room goes from the notes.
  return {std::max(notes / 2, notes - (evidence - share)), evidence};
}

std::int64_t most_notes(const HistoryPolicy& policy, const GrownThread& thread) {
  auto left = thread.head.notes;
  for (const auto& shown : thread.evidence)
    if (shown.made.compactions == made_by_compaction) left -= shown.tokens;
  return std::clamp<std::int64_t>(left, 0, part(policy.notes_share, thread.head.room));
}

std::int64_t tokens_between(const GrowthTerms& terms, const GrownThread& thread, std::size_t first, std::size_t end) {
  const auto& sizes = terms.sizes;
  auto tokens = sizes.between(first, end);
  for (const auto& [message, most] : thread.extracts) {
    if (message < first || message >= end || most >= sizes.most_of_result(message)) continue;
    tokens -= std::max<std::int64_t>(0, sizes.of_message(message) - sizes.as_extract(message, most));
  }
  const auto& saved = thread.steering.saved_before;
  return saved.empty() ? tokens : tokens - saved[sizes.group_at(end)] + saved[sizes.group_at(first)];
}

std::int64_t standing(const GrowthTerms& terms, const GrownThread& thread, std::size_t end) {
  const auto evidence = thread.set_aside ? *thread.set_aside : evidence_tokens(thread);
  return thread.task_tokens + thread.head.notes + thread.kept_tokens + thread.behind_tokens + evidence +
         thread.documents + tokens_between(terms, thread, thread.cut, end);
}

}  // namespace ctxmgr::engine
