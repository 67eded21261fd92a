#include "engine/build/compaction.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/build/thread_search.hpp"
#include "engine/build/tool_references.hpp"
#include "engine/history/host_compaction.hpp"
#include "engine/history/share.hpp"
#include "engine/history/task.hpp"

namespace ctxmgr::engine {
namespace {

// Where no other source is named, these shares are in docs/context-layout.md.

/// Of the room. A compaction of a chat leaves so much more than `target_fill`: what was said last counts there.
constexpr double turns_share = 0.1;

/// Of the room, the latest states of tools, what a host keeps whole, and what it says.
constexpr double states_share = 0.1;
constexpr double host_share = 0.25;
constexpr double host_text_share = 0.05;

/// Of the room, results of a service's tool search by which tools are loaded that are still called, and so many of them.
constexpr double loaded_tools_share = 0.1;
constexpr std::size_t most_loading_groups = 8;

/// Of the room, what task, documents, notes and evidence may take together, so that steps have the rest until the next compaction, and
/// what notes and evidence have all the same.
constexpr double most_standing = 0.75;
constexpr double least_made = 0.1;

/// Less is not worth notes.
constexpr std::int64_t least_notes = 64;

/// Evidence survives one compaction, the newest first, as far as there is room for it.
std::vector<ShownEvidence> aged(const GrowthTerms& terms, const std::vector<ShownEvidence>& evidence) {
  auto left = capped(most_evidence(terms.policy().evidence_share, terms.room), terms.policy());
  std::vector<ShownEvidence> newest_first;
  for (auto shown = evidence.rbegin(); shown != evidence.rend(); ++shown) {
    if (shown->made.compactions > 0 || shown->tokens > left) continue;
    left -= shown->tokens;
    newest_first.push_back(*shown);
    ++newest_first.back().made.compactions;
  }
  return {std::make_move_iterator(newest_first.rbegin()), std::make_move_iterator(newest_first.rend())};
}

/// What the thread is before anything more is cut: the head has its room, the host has said nothing yet.
GrownThread begin_compaction(const GrowthTerms& terms, const GrownThread& before, std::size_t end) {
  GrownThread thread;
  thread.cut = before.cut;
  thread.compacted_at = end;
  // A first request may have been all documents. Steps and notes need their part of the room.
  thread.documents = std::min(before.documents, part(documents_share, terms.room));
  thread.head = {terms.room, part(task_share, terms.room), 0, part(states_share, terms.room)};
  const auto task = task_of(terms, thread, end).tokens;
  const auto made = room_for_made(terms, task);
  const auto most = part(most_standing, terms.room) - task - thread.documents;
  thread.head.notes = std::min(made.notes + made.evidence, std::max(most, part(least_made, terms.room)));
  if (thread.head.notes < least_notes) thread.head.notes = 0;
  thread.extracts = before.extracts;
  thread.evidence = aged(terms, before.evidence);
  thread.steering = steering_at(terms, end);
  thread.set_aside = before.set_aside;
  return thread;
}

/// What the states that a cut hides take as they are sent.
std::int64_t state_tokens(const GrowthTerms& terms, const GrownThread& thread, std::size_t count) {
  if (count == 0) return 0;
  const auto states =
      render_states(terms.history(), thread.steering.rules.states, count, thread.head.state, terms.counter());
  return states ? terms.counter().count_message(*states) : 0;
}

/// The first cut, from the thread's own on, behind which everything fits in the target. The newest step is never cut for it.
std::size_t choose_cut(const GrowthTerms& terms, const GrownThread& thread, std::size_t end) {
  const auto newest = newest_step(terms, end);
  const auto chosen = task_of(terms, thread, end).task;  // Of any cut: those before it.
  const auto beside = thread.head.notes + (thread.set_aside ? 0 : evidence_tokens(thread)) + thread.documents;
  const auto target = std::min(1.0, terms.policy().target_fill + (terms.is_loop ? 0 : turns_share));
  const auto most = part(target, terms.limit);
  const auto& groups = terms.thread().groups();
  auto cut = thread.cut;
  std::size_t states = 0;
  std::int64_t states_take = 0;
  const auto first = std::max(thread.cut, terms.thread().first_to_send());
  for (auto g = terms.sizes.group_at(first); g < groups.size() && groups[g].first <= newest; ++g) {
    cut = groups[g].first;
    std::int64_t tasks = 0;
    for (const auto& message : chosen)
      if (message.message < cut) tasks += message.tokens;
    // States are few, one for each tool: most cuts hide as many as the one before.
    if (const auto hidden = states_before(thread, cut); std::exchange(states, hidden) != hidden)
      states_take = state_tokens(terms, thread, hidden);
    if (tasks + beside + states_take + thread.kept_tokens + tokens_between(terms, thread, cut, end) <= most) break;
  }
  return cut;
}

HiddenMessages hidden_in(const GrownThread& thread) { return {thread.cut, thread.steering.rules.dropped, thread.kept}; }

/// Ranges of messages that are not sent any more.
std::vector<SequenceRange> newly_hidden(const GrowthTerms& terms, const GrownThread& before, const GrownThread& now,
                                        std::size_t end) {
  std::vector<std::size_t> shown;
  for (const auto& message : task_of(terms, now, now.cut).task) shown.push_back(message.message);
  return hidden_since(hidden_in(before), hidden_in(now), terms.thread(), terms.suffixes(), end, shown);
}

/// What is sent of the first `end` messages, with the notes as they are. Nothing of the host's documents is sent yet.
std::int64_t tokens_as_sent(const GrowthTerms& terms, const GrownThread& thread, std::size_t end) {
  const auto tokens = standing(terms, thread, end) - thread.head.notes;
  if (thread.head.notes == 0 || (thread.cut == 0 && thread.behind.empty())) return tokens;
  const auto notes = made_head(terms, thread).notes;
  auto made = notes ? terms.counter().count_message(*notes) : 0;
  for (const auto& shown : thread.evidence) made += shown.made.compactions == made_by_compaction ? shown.tokens : 0;
  return tokens + made;
}

/// The host says which groups shall stay whole, once it has heard what would go.
std::vector<std::size_t> ask_what_to_keep(const GrowthTerms& terms, const GrownThread& before, GrownThread now,
                                          std::size_t end, CompactionReport report, CompactionHook& hook) {
  const auto cut = now.cut;
  now = with_cut(terms, with_behind(terms, std::move(now)), cut);
  report.messages = newly_hidden(terms, before, now, end);
  report.tokens_after = tokens_as_sent(terms, now, end);
  return groups_to_keep(hook, {terms.input.inputs.request.scope, terms.history(), report}, terms.thread(),
                        terms.suffixes(), now.cut, part(host_share, terms.room), *terms.input.inputs.hook_notes);
}

/// Both, ascending, no group twice, and not more than a state keeps.
std::vector<std::size_t> with_kept_by_host(std::vector<std::size_t> groups, const std::vector<std::size_t>& of_host) {
  for (const auto group : of_host) {
    const bool is_there = std::find(groups.begin(), groups.end(), group) != groups.end();
    if (!is_there && groups.size() < most_kept_by_host) groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

/// What an agent said and called cannot be shortened: where there is no room for it, it is cut like what is older, so that
/// notes and evidence need not give way for nothing.
GrownThread cut_what_cannot_fit(const GrowthTerms& terms, GrownThread thread, std::size_t end) {
  const auto& groups = terms.thread().groups();
  const auto& sizes = terms.sizes;
  for (auto g = sizes.group_at(thread.cut); g < sizes.group_at(end) && !terms.suffixes().is_fixed(g); ++g) {
    auto words = thread.task_tokens;
    for (auto i = groups[g].first; i < groups[g].last; ++i)
      words += sizes.is_result(i) ? 0 : terms.thread().tokens_of(i);
    if (words <= terms.limit) break;
    thread = with_cut(terms, std::move(thread), groups[g].last);
  }
  return thread;
}

/// What a message counts as it is sent.
std::int64_t sent_tokens(const GrowthTerms& terms, const GrownThread& thread, std::size_t message) {
  const auto extract = thread.extracts.find(message);
  const auto tokens = terms.sizes.of_message(message);
  return extract == thread.extracts.end() ? tokens : std::min(tokens, terms.sizes.as_extract(message, extract->second));
}

/// Results of a group become extracts, as short as they have to be.
GrownThread shorten_group(const GrowthTerms& terms, GrownThread thread, std::size_t end, std::size_t g) {
  const auto over = standing(terms, thread, end) - terms.limit;
  if (over <= 0 || terms.suffixes().is_fixed(g)) return thread;
  const auto& group = terms.thread().groups()[g];
  const auto tokens_of = [&](std::size_t i) { return sent_tokens(terms, thread, i); };
  std::int64_t results = 0;
  std::int64_t others = 0;
  for (auto i = group.first; i < group.last; ++i) (terms.sizes.is_result(i) ? results : others) += tokens_of(i);
  const auto most = others + std::max<std::int64_t>(0, results - over);
  for (const auto& [message, tokens] : terms.suffixes().extracts_within(g, most, tokens_of))
    if (terms.sizes.is_result(message)) thread.extracts[message] = tokens;
  return thread;
}

/// Of all that stands, from the oldest on.
GrownThread shorten_newest(const GrowthTerms& terms, GrownThread thread, std::size_t end) {
  const auto last = terms.sizes.group_at(end);
  for (auto g = terms.sizes.group_at(thread.cut); g < last; ++g)
    thread = shorten_group(terms, std::move(thread), end, g);
  return thread;
}

/// Where even the newest step is too much, what it can best do without gives way first. Each line makes room for those below it,
/// so their order is what counts.
GrownThread give_way(const GrowthTerms& terms, GrownThread thread, std::size_t end) {
  thread = cut_what_cannot_fit(terms, std::move(thread), end);
  const auto over = [&] { return standing(terms, thread, end) - terms.limit; };
  auto& evidence = thread.evidence;
  auto& notes = thread.head.notes;
  auto& documents = thread.documents;
  while (over() > 0 && !evidence.empty() && evidence.front().made.question != terms.question)
    evidence.erase(evidence.begin());
  const auto rules = std::min(notes, std::max(part(rules_share, terms.room), least_notes));
  if (over() > 0) notes = std::max(rules, notes - over());
  if (notes < least_notes) notes = 0;
  if (over() > 0) thread = with_kept(terms, std::move(thread), {});
  if (over() > 0) evidence.clear();
  if (over() > 0 && documents > 0)
    documents = std::max(documents - over(), std::min(documents, part(least_documents_share, terms.room)));
  if (over() > 0) thread = shorten_newest(terms, std::move(thread), end);
  if (over() > 0 && thread.task_tokens > 0) {
    thread.head.task = std::max<std::int64_t>(0, thread.head.task - over());
    const auto cut = thread.cut;
    thread = with_cut(terms, std::move(thread), cut);
  }
  if (over() > 0) notes = 0;
  if (over() <= 0 || thread.behind.empty()) return thread;
  thread.head.state = 0;
  return with_behind(terms, std::move(thread));
}

/// Without extracts of what is not sent any more.
GrownThread without_old_extracts(const GrowthTerms& terms, GrownThread thread) {
  auto& extracts = thread.extracts;
  extracts.erase(extracts.begin(), extracts.lower_bound(thread.cut));
  for (const auto first : thread.steering.rules.dropped)
    for (auto i = first; i < terms.thread().groups()[terms.thread().group_of(first)].last; ++i) extracts.erase(i);
  return thread;
}

/// What is sent all the same, or otherwise than as it came: history is not filled beyond it.
bool ends_filling(const GrowthTerms& terms, const GrownThread& thread, const std::vector<TaskMessage>& task,
                  const Group& group) {
  const auto is_of_group = [&group](std::size_t message) { return group.first <= message && message < group.last; };
  for (auto i = group.first; i < group.last; ++i)
    if (terms.sizes.is_result(i) && terms.thread().tokens_of(i) > terms.sizes.most_of_result(i)) return true;
  const auto& states = thread.steering.rules.states;
  const auto& dropped = thread.steering.rules.dropped;
  return std::any_of(task.begin(), task.end(), [&](const TaskMessage& t) { return is_of_group(t.message); }) ||
         std::any_of(states.begin(), states.end(), [&](const LatestState& s) { return is_of_group(s.message); }) ||
         std::any_of(thread.kept.begin(), thread.kept.end(), is_of_group) ||
         std::any_of(dropped.begin(), dropped.end(), is_of_group);
}

/// Without pieces of messages that are sent whole now, and without blocks of which nothing is left.
std::vector<ShownEvidence> without_pieces_of(const GrowthTerms& terms, const std::vector<ShownEvidence>& evidence,
                                             const MessageRange& sent) {
  std::vector<ShownEvidence> left;
  for (const auto& shown : evidence) {
    auto made = shown.made;
    const auto is_sent = [&sent](const EvidencePiece& piece) {
      return sent.first <= piece.message && piece.message < sent.last;
    };
    made.pieces.erase(std::remove_if(made.pieces.begin(), made.pieces.end(), is_sent), made.pieces.end());
    if (auto again = made.pieces.size() == shown.made.pieces.size() ? shown : show_evidence(terms.input, made))
      left.push_back(std::move(*again));
  }
  return left;
}

}  // namespace

GrownThread filled(const GrowthTerms& terms, GrownThread thread) {
  if (thread.is_filled || !terms.is_loop || thread.compacted_at == 0 || thread.head.notes == 0) return thread;
  thread.is_filled = true;
  auto left = thread.head.notes;
  if (const auto notes = made_head(terms, thread).notes) left -= terms.counter().count_message(*notes);
  for (const auto& shown : thread.evidence) left -= shown.made.compactions == made_by_compaction ? shown.tokens : 0;
  const auto& groups = terms.thread().groups();
  const auto first = std::max<std::size_t>(1, terms.thread().first_to_send());
  const auto task = task_of(terms, thread, thread.cut).task;
  auto cut = thread.cut;
  for (auto g = terms.sizes.group_at(cut); g-- > 0 && groups[g].first >= first;) {
    if (groups[g].fixed) continue;
    if (ends_filling(terms, thread, task, groups[g]) ||
        tokens_between(terms, thread, groups[g].first, thread.cut) > left)
      break;
    cut = groups[g].first;
  }
  if (cut == thread.cut) return thread;
  thread.head.notes -= tokens_between(terms, thread, cut, thread.cut);
  thread.evidence = without_pieces_of(terms, thread.evidence, {cut, thread.cut});
  return with_cut(terms, std::move(thread), cut);
}

GrownThread compact(const GrowthTerms& terms, const GrownThread& before, std::size_t end, const char* reason) {
  const auto uncut = begin_compaction(terms, before, end);
  const bool is_told = !before.set_aside;  // It happens now, and is not found again.
  auto* const hook =
      is_told && !terms.input.inputs.is_dry() ? terms.input.inputs.services->options.compaction_hook.get() : nullptr;
  CompactionReport report;
  report.reason = reason;
  // A preparation asks how near the next compaction is.
  const bool prepares = terms.input.inputs.caller == Caller::prepares;
  if (is_told) report.tokens_before = prepares ? standing(terms, before, end) : tokens_as_sent(terms, before, end);
  auto now = with_cut(terms, uncut, choose_cut(terms, uncut, end));
  auto groups = groups_that_load_tools(terms.history(), terms.thread(), terms.suffixes(), now.cut,
                                       part(loaded_tools_share, terms.room), most_loading_groups);
  if (hook != nullptr)
    groups = with_kept_by_host(std::move(groups), ask_what_to_keep(terms, before, now, end, report, *hook));
  if (!groups.empty()) {
    const auto kept = with_kept(terms, uncut, std::move(groups));
    now = with_cut(terms, kept, choose_cut(terms, kept, end));
  }
  now = without_old_extracts(terms, give_way(terms, with_behind(terms, std::move(now)), end));
  if (!is_told) return now;
  now = filled(terms, with_task_evidence(terms, std::move(now)));
  report.messages = newly_hidden(terms, before, now, end);
  report.tokens_after = tokens_as_sent(terms, now, end);
  if (hook != nullptr) {
    // What does not fit is not said.
    const auto most = std::min(part(host_text_share, terms.room), terms.limit - standing(terms, now, end));
    now.host_text = text_of_host(*hook, {terms.input.inputs.request.scope, terms.history(), report}, terms.counter(),
                                 most, *terms.input.inputs.hook_notes);
    now = with_behind(terms, std::move(now));
    report.tokens_after = tokens_as_sent(terms, now, end);
  }
  now.compaction = std::move(report);
  return now;
}

}  // namespace ctxmgr::engine
