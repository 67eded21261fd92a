#include "engine/build/layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ctxmgr/engine/tool_search.hpp"
#include "engine/build/evidence.hpp"
#include "engine/build/growth.hpp"
#include "engine/build/prepared_summaries.hpp"
#include "engine/history/share.hpp"
#include "engine/selection/embedding_run.hpp"
#include "engine/selection/query.hpp"

namespace ctxmgr::engine {
namespace {

/// Of the room, what the newest turns get in a single request before evidence is chosen, or an extract of the newest result.
constexpr double one_shot_newest_share = 0.25;
/// The newest result of running steps is what the agent is about to act on; as much is left for what else it needs.
constexpr double one_shot_result_share = 0.5;

/// "Make it shorter": the answer before the question, which is whole where it fits into this.
constexpr double referred_share = 0.75;

/// In less, hardly more of a beginning stays than services cache at all (1 024 tokens).
constexpr std::int64_t least_growing_room = 4'096;

class RoomSharing {
 public:
  explicit RoomSharing(const LayoutInput& input)
      : q_(input),
        p_(input.prepared),
        context_(input.inputs.context),
        policy_(input.inputs.request.history),
        suffixes_(*input.prepared.suffixes),
        items_(input.prepared.gathered.items),
        room_(input.prepared.room),
        total_room_(input.prepared.total_room),
        is_loop_(!input.inputs.request.tools.empty() || input.prepared.thread().roles().is_loop()),
        goes_on_(p_.gathered.question && *p_.gathered.question + 1 < p_.thread().size()),
        head_{context_.conversation_history,
              input.known.analysis,
              input.known.memo,
              *input.prepared.counter,
              total_room_,
              is_loop_ && policy_.notes_share > 0,
              0,
              0,
              input.prepared.handles.get()} {
    for (const auto& item : items_) artifact_tokens_ += item.tokens + item.header_tokens;
    if (artifact_tokens_ > 0) artifact_tokens_ += p_.overhead_tokens;
    if (p_.previous && p_.previous->max_input == p_.budget.max_input) previous_ = &*p_.previous;
    if (Embedder* const embedder = q_.inputs.services->options.embedder.get();
        embedder != nullptr && !q_.inputs.is_dry())
      embeddings_.emplace(*embedder, q_.inputs.services->vectors, q_.inputs.call);
    layout_.turn = input.prepared.artifacts().turn(input.prepared.gathered.query, input.inputs.context.goal);
  }

  Layout share() {
    layout_.same_question = previous_ != nullptr && previous_->question == layout_.turn;
    // Where the next request repeats this one: the same passages for the same question, whatever was said since.
    layout_.hinted_by = layout_.same_question ? previous_->hinted_by
                        : goes_on_ && grows() ? *p_.gathered.question + 1
                                              : p_.thread().size();
    layout_.hints = hints_of(context_, p_.gathered, layout_.hinted_by);
    if (grows())
      go_on();
    else if (!take_everything())
      fill_room();
    fill();
    return std::move(layout_);
  }

 private:
  /// A thread that goes on, as its state says, or as steps show: those that follow the question, or an agent's before it.
  bool grows() const {
    if (!p_.gathered.question) return false;
    const bool works = goes_on_ || p_.thread().roles().is_loop();
    return previous_ != nullptr || (works && total_room_ >= least_growing_room);
  }
  /// So many messages show what is said again and again.
  std::size_t seen() const { return std::max(layout_.hinted_by, layout_.suffix.cut); }

  /// Why, where it is not full: for the host, by a call of the model's since the build before, or of pins that filled it.
  const char* wants_compaction() const {
    if (previous_ == nullptr) return nullptr;
    const auto& messages = context_.conversation_history;
    const auto asks = [](const ToolCall& call) { return call.name == compact_context_name; };
    if (q_.inputs.request.compact_now) return "the host asked for it";
    const bool model_asks =
        std::any_of(messages.begin() + static_cast<std::ptrdiff_t>(previous_->messages), messages.end(),
                    [&asks](const ConversationMessage& message) {
                      return std::any_of(message.tool_calls.begin(), message.tool_calls.end(), asks);
                    });
    if (model_asks) return "the model asked for it";
    return p_.pins_gave_way ? "pinned messages gave way" : nullptr;
  }

  /// What is not sent of the thread; of what a service has compacted, as much as excerpts of it may take.
  std::int64_t older_tokens(const Suffix& suffix) const {
    const auto older = suffixes_.tokens_before(suffix.cut);
    const auto compacted = std::min(older, suffixes_.tokens_before(p_.thread().first_to_send()));
    return older - compacted + std::min(compacted, part(policy_.evidence_share, total_room_));
  }
  bool selects() const { return q_.inputs.request.planning.mode != PlannerMode::none; }
  std::int64_t block_demand(const Suffix& suffix) const {
    if (!selects()) return artifact_tokens_;
    const auto older = older_tokens(suffix) + suffixes_.masked_away(suffix);
    return artifact_tokens_ + older + (older > 0 && artifact_tokens_ == 0 ? p_.overhead_tokens : 0);
  }

  bool take_everything() {
    auto whole = suffixes_.everything();
    if (whole.tokens + artifact_tokens_ > room_) return false;
    layout_.suffix = whole;
    layout_.block_tokens = artifact_tokens_;
    layout_.everything = true;
    return true;
  }

  /// What was sent stays as it was, and grows at its end, until the room is full.
  void go_on() {
    layout_.grows = true;
    auto grown = grow(q_, previous_, is_loop_, artifact_tokens_, layout_.same_question, wants_compaction());
    layout_.compacted_at = grown.compacted_at;
    layout_.head_room = grown.head;
    layout_.compaction = grown.compaction;
    layout_.evidence = std::move(grown.evidence);
    layout_.block_tokens = grown.documents;
    layout_.host_text = std::move(grown.host_text);
    Suffix kept{grown.cut, 0, std::move(grown.extracts)};
    kept.dropped = std::move(grown.steered.dropped);
    kept.reasoning_before = grown.reasoning_before;
    layout_.suffix = suffixes_.again(std::move(kept));
    const bool is_whole = grown.cut == 0 && layout_.suffix.extracts.empty() && layout_.suffix.dropped.empty() &&
                          grown.reasoning_before == 0;
    layout_.everything = is_whole && layout_.suffix.tokens + artifact_tokens_ <= room_;
    if (layout_.everything) layout_.block_tokens = artifact_tokens_;
    if (layout_.compacted_at == 0 || (grown.cut == 0 && grown.behind.empty())) return;
    tell_summaries();
    layout_.head = make_head({context_.conversation_history, q_.known.analysis, q_.known.memo, *p_.counter,
                              grown.head.room, policy_.notes_share > 0, grown.head.task, grown.head.notes,
                              p_.handles.get(), grown.compacted_at, grown.kept, layout_.summaries},
                             grown.cut);
    layout_.head.kept = std::move(grown.kept);
    layout_.head.behind = std::move(grown.behind);
    layout_.head.tokens += grown.kept_tokens + grown.behind_tokens;
    // The question counts among the fixed parts.
    for (const auto& task : layout_.head.task)
      if (task.message == p_.gathered.question) layout_.head.tokens -= p_.thread().tokens_of(task.message);
  }

  /// A compaction uses what there is of them, and so does a thread that begins anew; until the next the notes stay as they are.
  void tell_summaries() {
    const bool begins_anew = previous_ == nullptr && p_.previous && p_.previous->max_input == 0;
    if ((previous_ == nullptr && !begins_anew) || layout_.head_room.notes == 0) return;
    if (layout_.compaction || begins_anew) {
      layout_.summaries = find_summaries(q_, layout_.suffix.cut);
      return;
    }
    layout_.summaries = summaries_again(q_, previous_->summaries);
    layout_.lost_summaries = layout_.summaries.size() < previous_->summaries.size();
  }

  /// A single request: what the thread began with, the newest turns, then evidence, then as much more history as there is room for.
  void fill_room() {
    // Steps that follow the question need their newest result; turns before it can be found as evidence.
    const auto newest = part(one_shot_result_share, total_room_);
    layout_.suffix = newest_turns();
    layout_.head = make_beginning(head_, layout_.suffix.cut, p_.gathered.question);
    const auto room = std::max<std::int64_t>(0, room_ - layout_.head.tokens);
    layout_.block_tokens =
        std::min(block_demand(layout_.suffix), std::max<std::int64_t>(0, room - layout_.suffix.tokens));
    const auto used = selected_tokens();
    if (q_.pace.was_over()) return;  // Each further selection takes as long again.
    auto extended = suffixes_.newest_within({room - used, goes_on_ ? std::min(newest, room - used) : 0, 0, goes_on_});
    if (extended.cut > layout_.suffix.cut || extended.tokens <= layout_.suffix.tokens) return;
    layout_.suffix = std::move(extended);
    layout_.block_tokens = std::min(used, room - layout_.suffix.tokens);
    layout_.head = make_beginning(head_, layout_.suffix.cut, p_.gathered.question);
    selection_.reset();
  }

  /// Results of the newest step that do not fit whole say in an extract of the usual share what is asked of them.
  Suffix newest_turns() const {
    auto room = room_for_newest();
    if (!goes_on_) return suffixes_.newest_within(room);
    room.extracts = false;
    auto whole = suffixes_.newest_within(room);
    if (whole.cut < p_.thread().size()) return whole;
    room.extracts = true;
    room.newest = part(one_shot_newest_share, room_);
    return suffixes_.newest_within(room);
  }

  /// Turns of a dialogue say what it is about; a transcript's newest lines are lines like others. A question that names
  /// too little to be searched for refers to what was said right before it.
  SuffixRoom room_for_newest() const {
    const bool dialogue = !layout_.hints.empty();
    const bool refers = dialogue && says_little(p_.gathered.query);
    SuffixRoom room;
    room.total = dialogue || goes_on_ ? part(one_shot_newest_share, room_) : 0;
    room.newest = goes_on_ ? part(one_shot_result_share, total_room_) : refers ? part(referred_share, room_) : 0;
    room.most = goes_on_ ? part(one_shot_result_share, room_) : 0;
    // An extract is made for the turn that asked for the result: a new question is searched for in it.
    room.extracts = goes_on_;
    return room;
  }

  /// What a selection within the block's room really takes.
  std::int64_t selected_tokens() {
    if (!selects()) return std::min(layout_.block_tokens, artifact_tokens_);
    if (select_room() < least_block_tokens) return 0;
    selection_ = run_selection(select_room());
    const auto& selection = *selection_;
    if (selection.chosen.empty() && artifact_tokens_ == 0) return 0;
    const auto tokens = std::max(selection.tokens, least_block_tokens);
    return std::min(layout_.block_tokens, tokens + frame_tokens());
  }

  /// Of the block, what is not for texts of the selection and their headers.
  std::int64_t frame_tokens() const { return p_.overhead_tokens + p_.index_tokens; }
  std::int64_t select_room() const { return layout_.block_tokens - frame_tokens(); }

  Selection run_selection(std::int64_t tokens) {
    SelectionRequest request;
    request.query = p_.gathered.query;
    request.hints = layout_.hints;
    request.budget_tokens = tokens;
    request.goal = context_.goal;
    const auto wanted = competing();
    const auto key = selection_key(q_, wanted, seen(), request);
    auto& memo = q_.known.memo;
    if (!embeddings_ && memo.selection && memo.selection_key == key) {
      ranges_ = wanted;
      return *memo.selection;
    }
    ranges_ = read_for_search(wanted, q_);
    auto selection = select(all_slices(), request, *p_.counter, embeddings_ ? &*embeddings_ : nullptr);
    layout_.embedder_usage = layout_.embedder_usage + selection.embedder_usage;
    // What there was no time to read may be found at the next build.
    if (embeddings_ || count_of(ranges_) < count_of(wanted)) return selection;
    memo.selection = std::make_shared<const Selection>(selection);
    memo.selection_key = key;
    return selection;
  }

  /// In a thread that goes on, its own evidence is made by itself.
  std::vector<MessageRange> competing() const {
    return layout_.grows ? std::vector<MessageRange>() : competing_messages(q_, layout_.suffix, layout_.head.task);
  }

  std::vector<IndexSlice> all_slices() {
    auto slices = slices_of(q_, ranges_, seen(), texts_);
    const auto text = [this](std::size_t i) -> std::string_view { return items_[i].artifact->content; };
    const auto header = [this](std::size_t i) -> std::string_view { return items_[i].header; };
    const auto last = p_.artifacts().read();
    const auto steps = first_of_steps(last);
    slices.push_back({&p_.artifacts().index(), 0, steps, text, header});
    if (steps == last) return slices;
    slices.push_back(slices.back());
    slices.back().first = steps;
    slices.back().last = last;
    slices.back().follows = true;
    return slices;
  }

  /// Results of the current steps come last among the items.
  std::size_t first_of_steps(std::size_t last) const {
    while (last > 0 && items_[last - 1].kind == ItemKind::step_result) --last;
    return last;
  }

  void fill() {
    layout_.items.resize(items_.size());
    layout_.relevance.assign(items_.size(), 0.0);
    if (!selects()) return;
    const auto cut = layout_.suffix.cut;
    const bool all_whole = layout_.block_tokens >= artifact_tokens_ && cut == 0;
    if (all_whole && layout_.everything) return take_artifacts_whole();
    if (layout_.grows && items_.empty()) return;
    if (select_room() < least_block_tokens) return;
    auto selection = selection_ ? std::move(*selection_) : run_selection(select_room());
    layout_.embedder_error = std::move(selection.embedder_error);
    const auto first_item = count_of(ranges_);
    for (std::size_t i = 0; i < items_.size() && first_item + i < selection.relevance.size(); ++i) {
      layout_.relevance[i] = selection.relevance[first_item + i];
    }
    for (const auto repeat : selection.repeats)
      if (repeat >= first_item) layout_.repeats.push_back(repeat - first_item);
    for (auto& chosen : selection.chosen) {
      if (chosen.index < first_item) {
        chosen.index = message_at(ranges_, chosen.index);
        layout_.older.push_back(std::move(chosen));
      } else {
        const auto item = chosen.index - first_item;
        layout_.relevance[item] = std::max(layout_.relevance[item], chosen.relevance);
        layout_.items[item] = std::move(chosen);
      }
    }
  }

  void take_artifacts_whole() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      SelectedText whole;
      whole.index = i;
      whole.view = ArtifactView::full;
      whole.text = items_[i].artifact->content;
      whole.tokens = items_[i].tokens;
      whole.relevance = 1;
      layout_.items[i] = std::move(whole);
      layout_.relevance[i] = 1;
    }
  }

  const LayoutInput& q_;
  const Prepared& p_;
  const Context& context_;
  const HistoryPolicy& policy_;
  SuffixPlanner& suffixes_;
  const std::vector<Item>& items_;
  const std::int64_t room_;        ///< That the fixed parts leave.
  const std::int64_t total_room_;  ///< The same, with what the question and the steps of this turn take.
  const bool is_loop_;             ///< An agent works in it: there are tools, calls or observations.
  const bool goes_on_;             ///< Something stands after the question.
  HeadInput head_;
  const PreviousBuild* previous_ = nullptr;  ///< Where it was for this budget.
  std::int64_t artifact_tokens_ = 0;         ///< All of them whole, with headers and the block around them.
  std::vector<MessageRange> ranges_;         ///< What the last selection chose from besides the artifacts,
  MessageTexts texts_;                       ///< and their texts.
  std::optional<EmbeddingRun> embeddings_;   ///< Of all selections of this build.
  std::optional<Selection> selection_;       ///< For the layout as it is.
  Layout layout_;
};

}  // namespace

Layout plan_layout(const LayoutInput& input) { return RoomSharing(input).share(); }

}  // namespace ctxmgr::engine
