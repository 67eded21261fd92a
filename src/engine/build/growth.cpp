#include "engine/build/growth.hpp"

#include <algorithm>
#include <utility>

#include "engine/build/compaction.hpp"
#include "engine/build/evidence.hpp"
#include "engine/build/evidence_wanted.hpp"
#include "engine/extracts/data_block.hpp"
#include "engine/history/share.hpp"
#include "engine/history/task.hpp"
#include "engine/history/thread_head.hpp"

namespace ctxmgr::engine {
namespace {

// Where no other source is named, these shares are in docs/context-layout.md.

/// Of the room, what a result may take when it comes.
constexpr double result_share = 0.4;
/// Of the room. A compaction of a chat leaves so much more than `target_fill`: what was said last counts there.
constexpr double turns_share = 0.1;

/// Where less is free, or less than half of what is wanted, a compaction makes room for a question's evidence.
constexpr std::int64_t least_free = 600;

/// Of the room, what documents of the request may take, and what they keep when a thread has to give way.
constexpr double documents_share = 0.5;
constexpr double least_documents_share = 0.25;

/// Of the room, the latest states of tools, what a host keeps whole, and what it says.
constexpr double states_share = 0.1;
constexpr double host_share = 0.25;
constexpr double host_text_share = 0.05;
/// Less is not worth notes.
constexpr std::int64_t least_notes = 64;

constexpr const char* room_is_full = "the room is full";

class Growth {
 public:
  Growth(const LayoutInput& input, bool is_loop, std::int64_t documents)
      : in_(input),
        p_(input.prepared),
        thread_(input.prepared.thread()),
        history_(input.inputs.context.conversation_history),
        policy_(input.inputs.request.history),
        is_loop_(is_loop),
        room_(input.prepared.total_room),
        question_(*input.prepared.gathered.question),
        all_documents_(documents) {
    // What steps of this turn take that are no messages.
    limit_ = std::max<std::int64_t>(0, room_ - (p_.budget.max_input - p_.fixed.tokens - p_.room));
    least_limit_ = least_limit();
    tokens_before_.reserve(thread_.groups().size() + 1);
    tokens_before_.push_back(0);
    for (const auto& group : thread_.groups()) tokens_before_.push_back(tokens_before_.back() + counted(group));
  }

  GrownThread go_on(const PreviousBuild& previous, bool same_question, const char* compacts) {
    hook_ = in_.inputs.is_dry() ? nullptr : in_.inputs.services->options.compaction_hook.get();
    may_tell_ = true;
    take_over(previous);
    shorten_new_results(previous.messages, history_.size());
    now_.documents = documents_for(same_question ? previous.block_tokens : 0);
    // A first request that was cut was filled for its question alone.
    const bool was_single = previous.compacted_at == 0 && previous.cut > 0;
    if (compacts != nullptr)
      compact(history_.size(), compacts);
    else if (was_single)
      compact(history_.size(), "the thread goes on after a single request");
    else if (standing(history_.size()) > limit_)
      compact(history_.size(), room_is_full);
    if (question_ >= previous.messages || was_single) find_evidence(history_.size());
    return std::move(now_);
  }

  /// Without a state: goes through the thread as earlier builds did, one before each message of the assistant, and compacts
  /// where they did. The result must not depend on which question is asked now. So room for evidence is set aside from the
  /// first question on that may have had any.
  GrownThread find_again() {
    replays_ = true;
    shorten_new_results(0, history_.size());
    now_.documents = documents_for(0);
    asked_ = thread_.roles().asked();
    for (const auto& group : thread_.groups()) {
      if (group.first == 0) continue;
      if (history_[group.first].role == Role::assistant) stand_at(group.first);
    }
    stand_at(history_.size());
    return std::move(now_);
  }

 private:
  void stand_at(std::size_t end) {
    for (; next_asked_ < asked_.size() && asked_[next_asked_] < end; ++next_asked_)
      if (is_anything_hidden()) set_aside_ = std::max(set_aside_, wanted_by(asked_[next_asked_]));
    if (standing(end) > limit_) compact(end, room_is_full);
    if (question_ < end && !looked_) find_evidence(end);
  }

  [[nodiscard]] bool is_anything_hidden() const {
    return now_.cut > 0 || !now_.extracts.empty() || !now_.steered.dropped.empty();
  }

  /// As it will be sent: results that are too large count as their extracts.
  std::int64_t counted(const Group& group) const {
    const bool is_beside = group.fixed && !(group.pending && !group.pinned);
    if (is_beside) return 0;
    std::int64_t tokens = 0;
    for (auto i = group.first; i < group.last; ++i)
      tokens += is_result(i) ? std::min(thread_.tokens_of(i), most_of_result(i)) : thread_.tokens_of(i);
    return tokens;
  }

  bool is_result(std::size_t message) const {
    const auto role = history_[message].role;
    return role == Role::tool || (role == Role::user && message != question_ && p_.suffixes->is_output(message));
  }

  /// Of the room, or as a rule says of its tool.
  std::int64_t most_of_result(std::size_t message) const {
    const auto most = std::max<std::int64_t>(part(result_share, room_), 64);
    if (least_limit_ == 0 || thread_.tokens_of(message) <= least_limit_) return most;
    const auto* const call = history_[message].role == Role::tool ? call_answered_by(history_, message) : nullptr;
    if (call == nullptr) return most;
    return std::min(most, find_tool_rule(thread_.rules(), call->name).max_result_tokens.value_or(most));
  }

  /// The smallest limit that a rule has; 0: none has one.
  std::int64_t least_limit() const {
    std::int64_t least = 0;
    for (const auto& rule : thread_.rules())
      if (rule.max_result_tokens && (least == 0 || *rule.max_result_tokens < least)) least = *rule.max_result_tokens;
    return least;
  }

  std::size_t group_at(std::size_t message) const {
    return message < thread_.size() ? thread_.group_of(message) : thread_.groups().size();
  }

  /// Of the groups of [cut, end).
  std::int64_t kept(std::size_t cut, std::size_t end) const {
    auto tokens = tokens_before_[group_at(end)] - tokens_before_[group_at(cut)];
    for (const auto& [message, most] : now_.extracts) {
      if (message < cut || message >= end) continue;
      const auto allowed = most_of_result(message);
      if (most < allowed) tokens -= std::max<std::int64_t>(0, std::min(thread_.tokens_of(message), allowed) - most);
    }
    return saved_before_.empty() ? tokens : tokens - saved_before_[group_at(end)] + saved_before_[group_at(cut)];
  }

  std::int64_t evidence_tokens() const {
    std::int64_t tokens = 0;
    for (const auto& shown : now_.evidence) tokens += shown.tokens;
    return tokens;
  }

  std::int64_t standing(std::size_t end) const {
    const auto evidence = replays_ ? set_aside_ : evidence_tokens();
    return task_tokens_ + now_.head.notes + now_.kept_tokens + now_.behind_tokens + evidence + now_.documents +
           kept(now_.cut, end);
  }

  void take_over(const PreviousBuild& previous) {
    now_.cut = std::max(previous.cut, previous.cut > 0 ? thread_.first_to_send() : 0);
    now_.compacted_at = previous.compacted_at;
    now_.head = previous.head;
    now_.extracts = previous.extracts;
    for (const auto& made : previous.evidence) {
      if (auto shown = show_evidence(in_, made)) now_.evidence.push_back(std::move(*shown));
    }
    task_tokens_ = task(now_.cut).tokens;
    steer_again();
    keep(previous.kept);
    now_.host_text = previous.host_text;
    write_behind();
  }

  HeadInput head_input() const {
    return {history_,         in_.known.analysis,      in_.known.memo, *p_.counter,
            now_.head.room,   policy_.notes_share > 0, now_.head.task, now_.head.notes,
            p_.handles.get(), now_.compacted_at,       now_.kept};
  }
  ThreadHead task(std::size_t cut) const { return make_task(head_input(), cut); }

  /// Once, when they come.
  void shorten_new_results(std::size_t from, std::size_t end) {
    for (auto i = from; i < end; ++i) {
      const bool is_sent_whole = i == p_.gathered.last_word || p_.suffixes->is_fixed(thread_.group_of(i));
      if (is_sent_whole || !is_result(i)) continue;
      if (const auto most = most_of_result(i); thread_.tokens_of(i) > most) now_.extracts[i] = most;
    }
  }

  std::int64_t documents_for(std::int64_t before) const {
    if (all_documents_ == 0) return 0;
    if (before > 0) return before;
    const auto most = std::min(all_documents_, part(documents_share, room_));
    const auto least = std::min(most, part(least_documents_share, room_));
    return std::clamp(limit_ - standing(history_.size()) + now_.documents, least, most);
  }

  /// The last message of the assistant among the first `end`, and all that stands behind it.
  std::size_t newest_step(std::size_t end) const {
    const auto& groups = thread_.groups();
    // A group whose results came after `end` was there.
    for (auto g = end == 0 ? 0 : thread_.group_of(end - 1) + 1; g-- > 0;)
      if (history_[groups[g].first].role == Role::assistant) return groups[g].first;
    return end == 0 ? 0 : groups[group_at(end - 1)].first;
  }

  /// What rules let go first goes, then the oldest groups, whole, until what stands fits in the target.
  void compact(std::size_t end, const char* reason) {
    const HiddenMessages hidden_before = hidden_messages();
    CompactionReport report;
    report.reason = reason;
    report.tokens_before = standing(end);
    now_.compacted_at = end;
    // A first request may have been all documents. Steps and notes need their part of the room.
    now_.documents = std::min(now_.documents, part(documents_share, room_));
    now_.head = {room_, part(task_share, room_), part(policy_.notes_share, room_), part(states_share, room_)};
    if (now_.head.notes < least_notes) now_.head.notes = 0;
    age_evidence();
    keep({});
    now_.host_text.clear();
    steer_again();
    choose_cut(end);
    if (hook_ != nullptr && may_tell_) ask_before(end, hidden_before, report);
    write_behind();
    give_way(end);
    forget_extracts();
    task_tokens_ = task(now_.cut).tokens;
    if (!may_tell_) return;
    report.messages = hidden(hidden_before, end);
    report.tokens_after = standing(end);
    if (hook_ != nullptr) ask_after(end, report);
    now_.compaction = std::move(report);
  }

  /// Extracts of what is not sent any more.
  void forget_extracts() {
    now_.extracts.erase(now_.extracts.begin(), now_.extracts.lower_bound(now_.cut));
    for (const auto first : now_.steered.dropped)
      for (auto i = first; i < thread_.groups()[thread_.group_of(first)].last; ++i) now_.extracts.erase(i);
  }

  /// What follows from rules and reasoning at the last compaction.
  void steer_again() {
    saved_before_.clear();
    now_.reasoning_before = 0;
    if (now_.compacted_at == 0) return;
    now_.steered = steer(thread_, history_, now_.compacted_at, newest_step(now_.compacted_at));
    if (!thread_.reasoning().empty()) {
      const auto asked = thread_.roles().asked(now_.compacted_at);
      now_.reasoning_before = asked.empty() ? 0 : asked.back();
    }
    if (now_.steered.dropped.empty() && now_.reasoning_before == 0) return;
    saved_before_.assign(1, 0);
    for (std::size_t g = 0; g < thread_.groups().size(); ++g) saved_before_.push_back(saved_before_.back() + saved(g));
  }

  /// What a group of the kept history counts less.
  std::int64_t saved(std::size_t g) const {
    const auto& group = thread_.groups()[g];
    const auto& dropped = now_.steered.dropped;
    if (std::binary_search(dropped.begin(), dropped.end(), group.first)) return counted(group);
    const bool is_over = group.first < now_.reasoning_before && !p_.suffixes->is_fixed(g);
    return is_over ? thread_.reasoning_tokens(group.first) : 0;
  }

  /// Groups that the host keeps whole, by their first messages.
  void keep(std::vector<std::size_t> groups) {
    now_.kept = std::move(groups);
    now_.kept_tokens = 0;
    for (const auto first : now_.kept) now_.kept_tokens += thread_.groups()[thread_.group_of(first)].tokens;
  }

  /// The latest states that are not in the kept history, and the host's text.
  void write_behind() {
    now_.behind.clear();
    now_.behind_tokens = 0;
    if (auto states =
            render_states(history_, now_.steered.states, states_before(now_.cut), now_.head.state, *p_.counter))
      now_.behind.push_back(std::move(*states));
    if (!now_.host_text.empty()) now_.behind.push_back(host_message(now_.host_text));
    for (const auto& message : now_.behind) now_.behind_tokens += p_.counter->count_message(message);
  }

  std::size_t states_before(std::size_t cut) const {
    const auto& states = now_.steered.states;
    return static_cast<std::size_t>(
        std::count_if(states.begin(), states.end(), [&](const LatestState& state) { return state.message < cut; }));
  }

  /// Of the states that a cut hides, as they are sent. Few: one for each tool.
  std::int64_t state_tokens(std::size_t cut) {
    const auto count = states_before(cut);
    if (count == 0) return 0;
    const auto [known, fresh] = state_tokens_.try_emplace(count, 0);
    if (!fresh) return known->second;
    const auto states = render_states(history_, now_.steered.states, count, now_.head.state, *p_.counter);
    return known->second = states ? p_.counter->count_message(*states) : 0;
  }

  HiddenMessages hidden_messages() const { return {now_.cut, now_.steered.dropped, now_.kept}; }

  /// Ranges of messages that are not sent any more.
  std::vector<SequenceRange> hidden(const HiddenMessages& before, std::size_t end) {
    std::vector<std::size_t> shown;
    for (const auto& message : task(now_.cut).task) shown.push_back(message.message);
    return hidden_since(before, hidden_messages(), thread_, *p_.suffixes, end, shown);
  }

  /// The host says what shall stay whole.
  void ask_before(std::size_t end, const HiddenMessages& hidden_before, CompactionReport& report) {
    write_behind();
    task_tokens_ = task(now_.cut).tokens;
    report.messages = hidden(hidden_before, end);
    report.tokens_after = standing(end);
    auto groups = groups_to_keep(*hook_, {in_.inputs.request.scope, history_, report}, thread_, *p_.suffixes, now_.cut,
                                 part(host_share, room_));
    if (groups.empty()) return;
    keep(std::move(groups));
    now_.cut = hidden_before.cut;
    choose_cut(end);
  }

  /// The host says what the model should know. What does not fit is not said.
  void ask_after(std::size_t end, CompactionReport& report) {
    const auto most = std::min(part(host_text_share, room_), limit_ - standing(end));
    now_.host_text = text_of_host(*hook_, {in_.inputs.request.scope, history_, report}, *p_.counter, most);
    write_behind();
    report.tokens_after = standing(end);
  }

  /// It survives one compaction.
  void age_evidence() {
    auto left = most_evidence(policy_.evidence_share, room_);
    std::vector<ShownEvidence> kept;
    for (auto shown = now_.evidence.rbegin(); shown != now_.evidence.rend(); ++shown) {
      if (shown->made.compactions > 0 || shown->tokens > left) continue;
      left -= shown->tokens;
      ++shown->made.compactions;
      kept.push_back(std::move(*shown));
    }
    now_.evidence.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  void choose_cut(std::size_t end) {
    const auto newest = newest_step(end);
    const auto chosen = task(end).task;  // Of any cut: those before it.
    state_tokens_.clear();
    const auto beside = now_.head.notes + (replays_ ? 0 : evidence_tokens()) + now_.documents;
    const auto most = part(std::min(1.0, policy_.target_fill + (is_loop_ ? 0 : turns_share)), limit_);
    const auto& groups = thread_.groups();
    const auto first = std::max(now_.cut, thread_.first_to_send());
    for (auto g = group_at(first); g < groups.size() && groups[g].first <= newest; ++g) {
      now_.cut = groups[g].first;
      std::int64_t tasks = 0;
      for (const auto& message : chosen)
        if (message.message < now_.cut) tasks += message.tokens;
      const auto all = tasks + beside + state_tokens(now_.cut) + now_.kept_tokens + kept(now_.cut, end);
      if (all <= most) break;
    }
  }

  /// What an agent said and called cannot be shortened: where there is no room for it, it is cut like what is older, so that
  /// notes and evidence need not give way for nothing.
  void cut_what_cannot_fit(std::size_t end) {
    const auto& groups = thread_.groups();
    for (auto g = group_at(now_.cut); g < group_at(end) && !p_.suffixes->is_fixed(g); ++g) {
      auto words = task_tokens_;
      for (auto i = groups[g].first; i < groups[g].last; ++i) words += is_result(i) ? 0 : thread_.tokens_of(i);
      if (words <= limit_) return;
      now_.cut = groups[g].last;
      task_tokens_ = task(now_.cut).tokens;
    }
  }

  /// Where even the newest step is too much.
  void give_way(std::size_t end) {
    task_tokens_ = task(now_.cut).tokens;
    cut_what_cannot_fit(end);
    const auto over = [&] { return standing(end) - limit_; };
    while (over() > 0 && !now_.evidence.empty() && now_.evidence.front().made.question != question_)
      now_.evidence.erase(now_.evidence.begin());
    if (over() > 0) now_.head.notes = std::max<std::int64_t>(0, now_.head.notes - over());
    if (now_.head.notes < least_notes) now_.head.notes = 0;
    if (over() > 0) keep({});
    if (over() > 0) now_.evidence.clear();
    if (over() > 0 && now_.documents > 0)
      now_.documents = std::max(now_.documents - over(), std::min(now_.documents, part(least_documents_share, room_)));
    if (over() > 0) shorten_newest(end);
    if (over() > 0 && task_tokens_ > 0) {
      now_.head.task = std::max<std::int64_t>(0, now_.head.task - over());
      task_tokens_ = task(now_.cut).tokens;
    }
    if (over() <= 0 || now_.behind.empty()) return;
    now_.head.state = 0;
    write_behind();
  }

  void shorten_newest(std::size_t end) {
    for (auto g = group_at(now_.cut); g < group_at(end); ++g) {
      const auto over = standing(end) - limit_;
      if (over <= 0) return;
      if (p_.suffixes->is_fixed(g)) continue;
      const auto most = std::max<std::int64_t>(0, counted(thread_.groups()[g]) - over);
      for (const auto& [message, tokens] : p_.suffixes->extracts_within(g, most))
        if (is_result(message)) now_.extracts[message] = tokens;
    }
  }

  /// What the question may be answered with from the thread itself.
  std::int64_t wanted_by(std::size_t question) const {
    if (policy_.evidence_share == 0 || in_.inputs.request.planning.mode == PlannerMode::none) return 0;
    return evidence_wanted(text_of(history_[question]), is_loop_, policy_.evidence_share, room_);
  }

  void find_evidence(std::size_t end) {
    looked_ = true;
    const auto wanted = wanted_by(question_);
    if (wanted == 0) return;
    const auto free = [&] { return limit_ - standing(end) + (replays_ ? set_aside_ : 0); };
    if (is_anything_hidden() && free() < std::min(least_free, wanted / 2) && now_.compacted_at != end)
      compact(end, "a question needs room for what answers it");
    const auto most = std::min(wanted, free());
    if (!is_anything_hidden() || most < least_block_tokens) return;
    ThreadSearch search;
    search.end = question_ < end ? question_ : end;
    search.cut = now_.cut;
    for (const auto& [message, tokens] : now_.extracts) search.extracts.push_back(message);
    for (const auto first : now_.steered.dropped)
      for (auto i = first; i < thread_.groups()[thread_.group_of(first)].last; ++i)
        if (i >= now_.cut) search.extracts.push_back(i);
    std::sort(search.extracts.begin(), search.extracts.end());
    for (const auto& message : task(now_.cut).task)
      if (message.whole) search.shown.push_back(message.message);
    for (const auto first : now_.kept)
      for (auto i = first; i < thread_.groups()[thread_.group_of(first)].last; ++i) search.shown.push_back(i);
    for (const auto& shown : now_.evidence) search.former.push_back(shown.made);
    search.tokens = most;
    search.most_ranges = most_kept_ranges - std::min(most_kept_ranges, ranges_shown() + ranges_of_host());
    auto found = find_in_thread(in_, search);
    if (!found) return;
    if (auto shown = show_evidence(in_, *found); shown && shown->tokens <= free())
      now_.evidence.push_back(std::move(*shown));
  }

  /// What the host's part of a state takes from the ranges.
  std::size_t ranges_of_host() const {
    constexpr std::size_t bytes_of_range = 8;
    return (now_.host_text.size() + now_.kept.size() * bytes_of_range) / bytes_of_range;
  }

  std::size_t ranges_shown() const {
    std::size_t count = 0;
    for (const auto& shown : now_.evidence) count += ranges_of({shown.made});
    return count;
  }

  const LayoutInput& in_;
  const Prepared& p_;
  const ThreadAnalysis& thread_;
  const std::vector<ConversationMessage>& history_;
  const HistoryPolicy& policy_;
  const bool is_loop_;
  const std::int64_t room_;
  const std::size_t question_;
  const std::int64_t all_documents_;
  std::int64_t limit_ = 0;
  std::vector<std::int64_t> tokens_before_;  ///< Of each group.
  std::int64_t task_tokens_ = 0;
  std::vector<std::int64_t> saved_before_;  ///< What the groups before each count less; empty: nothing.
  std::map<std::size_t, std::int64_t> state_tokens_;
  std::int64_t least_limit_ = 0;
  CompactionHook* hook_ = nullptr;
  bool may_tell_ = false;  ///< It happens now, and is not found again.
  bool looked_ = false;
  bool replays_ = false;            ///< Without a state:
  std::vector<std::size_t> asked_;  ///< what the user asked,
  std::size_t next_asked_ = 0;      ///< up to here already,
  std::int64_t set_aside_ = 0;      ///< and room for the evidence of any of it.
  GrownThread now_;
};

}  // namespace

GrownThread grow(const LayoutInput& input, const PreviousBuild* previous, bool is_loop, std::int64_t documents,
                 bool same_question, const char* compacts) {
  Growth growth(input, is_loop, documents);
  return previous == nullptr ? growth.find_again() : growth.go_on(*previous, same_question, compacts);
}

}  // namespace ctxmgr::engine
