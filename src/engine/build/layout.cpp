#include "engine/build/layout.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ctxmgr::engine {
namespace {

/// Less room than this is not worth a block.
constexpr std::int64_t least_block_tokens = 48;

/// The newest group may take this much of the room before its results are extracted.
constexpr double newest_share = 0.5;

/// Of the room, what excerpts of older messages may take in a thread that goes on growing.
constexpr double excerpt_share = 0.3;

std::string label_of(ContextGoal goal) { return goal == ContextGoal::planning ? "planning" : "synthesis"; }

/// The turn that a block is made for: its query and artifacts.
Fingerprint turn_of(const LayoutInput& input) {
  const auto& chain = input.prepared.artifacts().chain();
  const auto query = fingerprint(input.prepared.gathered.query, fingerprint(label_of(input.inputs.context.goal)));
  return chain.empty() ? query : fingerprint(chain.back().hex(), query);
}

std::int64_t part(double share, std::int64_t tokens) {
  return static_cast<std::int64_t>(share * static_cast<double>(tokens));
}

/// [first, last).
struct MessageRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Reads the messages for the search; what there was no time for is out.
std::vector<MessageRange> while_there_is_time(std::vector<MessageRange> ranges, const LayoutInput& q) {
  if (!ranges.empty())
    q.prepared.thread().index_up_to(ranges.back().last, q.inputs.context.conversation_history, q.pace);
  const auto read = q.prepared.thread().index().size();
  while (!ranges.empty() && ranges.back().first >= read) ranges.pop_back();
  if (!ranges.empty()) ranges.back().last = std::min(ranges.back().last, read);
  return ranges;
}

/// Messages that compete: those before the cut but for the question, and results that are masked in the suffix.
std::vector<MessageRange> competing_messages(const LayoutInput& q, const Suffix& suffix) {
  std::vector<MessageRange> ranges;
  const auto question = q.prepared.gathered.question.value_or(suffix.cut);
  if (question > 0 && suffix.cut > 0) ranges.push_back({0, std::min(question, suffix.cut)});
  if (question + 1 < suffix.cut) ranges.push_back({question + 1, suffix.cut});
  for (std::size_t i = suffix.cut; i < std::min(suffix.mask_before, q.prepared.thread().size()); ++i) {
    const bool result = q.inputs.context.conversation_history[i].role == Role::tool;
    if (!result || q.prepared.suffixes->is_fixed(q.prepared.thread().group_of(i)) || suffix.extracts.contains(i))
      continue;
    ranges.push_back({i, i + 1});
  }
  return while_there_is_time(std::move(ranges), q);
}

std::size_t message_at(const std::vector<MessageRange>& ranges, std::size_t position) {
  for (const auto& range : ranges) {
    if (position < range.last - range.first) return range.first + position;
    position -= range.last - range.first;
  }
  return 0;
}

/// Rendered messages, for as long as a selection reads them.
using MessageTexts = std::map<std::size_t, std::string>;

std::vector<IndexSlice> slices_of(const LayoutInput& q, const std::vector<MessageRange>& ranges, MessageTexts& texts) {
  const auto& messages = q.inputs.context.conversation_history;
  const auto text_of_message = [&](std::size_t i) -> std::string_view {
    auto [text, fresh] = texts.try_emplace(i);
    if (fresh) text->second = indexed_text(q.prepared.thread(), messages, i);
    return text->second;
  };
  std::vector<IndexSlice> slices;
  for (const auto& range : ranges)
    slices.push_back({&q.prepared.thread().index(), range.first, range.last, text_of_message, {}});
  return slices;
}

class RoomSharing {
 public:
  explicit RoomSharing(const LayoutInput& input)
      : q_(input),
        p_(input.prepared),
        context_(input.inputs.context),
        policy_(input.inputs.request.history),
        suffixes_(*input.prepared.suffixes),
        items_(input.prepared.gathered.items),
        room_(input.prepared.room) {
    for (const auto& item : items_) artifact_tokens_ += item.tokens + item.header_tokens;
    if (artifact_tokens_ > 0) artifact_tokens_ += p_.overhead_tokens;
    if (p_.previous && p_.previous->max_input == p_.budget.max_input) previous_ = &*p_.previous;
    layout_.turn = turn_of(input);
  }

  Layout share() {
    const bool kept = keep_what_was_sent();
    // For the same question the same block, whatever was said since.
    layout_.hinted_by = kept && layout_.same_question ? previous_->hinted_by : p_.thread().size();
    layout_.hints = hints_of(context_, p_.gathered, layout_.hinted_by);
    if (!kept && !take_everything()) compact();
    fill();
    return std::move(layout_);
  }

 private:
  bool has_cut() const {
    return previous_ && (previous_->cut > 0 || previous_->mask_before > 0 || !previous_->extracts.empty());
  }
  std::int64_t recent_room() const { return part(policy_.recent_share, room_); }
  /// A thread that overflowed will go on growing: room for that, or it would be cut again at the next step.
  std::int64_t growth() const { return previous_ ? part((1 - policy_.target_fill) / 2, room_) : 0; }

  /// In such a thread, excerpts of what was just cut take a part of the room only: the newest groups, masked, keep their
  /// bytes from build to build, and excerpts do not.
  std::int64_t wanted_block(const Suffix& suffix) const {
    const auto demand = block_demand(suffix);
    return previous_ ? std::min(demand, artifact_tokens_ + part(excerpt_share, room_)) : demand;
  }

  std::int64_t older_tokens(const Suffix& suffix) const { return suffixes_.tokens_before(suffix.cut); }
  std::int64_t block_demand(const Suffix& suffix) const {
    const auto older = older_tokens(suffix);
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

  /// Cut, masks and, for the same question, the block as they were, as long as they fit.
  bool keep_what_was_sent() {
    if (!previous_) return false;
    layout_.same_question = previous_->question == layout_.turn;
    if (!has_cut() && !layout_.same_question) return false;
    auto suffix = suffixes_.again(previous_->cut, previous_->mask_before, previous_->extracts);
    std::int64_t block = 0;
    if (layout_.same_question) {
      block = previous_->block_tokens;
    } else if (!block_for_new_question(suffix, block)) {
      return false;
    }
    if (suffix.tokens + block > room_) {
      layout_.same_question = false;
      return false;
    }
    layout_.suffix = std::move(suffix);
    layout_.block_tokens = block;
    layout_.everything = !has_cut() && block == artifact_tokens_;
    return true;
  }

  /// What is left beside a kept suffix, if that is enough for new artifacts to compete fairly.
  bool block_for_new_question(const Suffix& suffix, std::int64_t& block) const {
    const auto demand = block_demand(suffix);
    const auto left = room_ - suffix.tokens;
    block = std::min(demand, left);
    if (demand <= left) return true;
    // The thread will grow before the question is answered; a block that takes all would be cut at the next step.
    const auto growth = part((1 - policy_.target_fill) * policy_.recent_share, room_);
    block = std::max<std::int64_t>(0, left - growth);
    const auto fair = std::min(artifact_tokens_, (room_ - recent_room()) / 2);
    return block >= fair;
  }

  void compact() {
    // Without a share of its own, the newest group competes like the rest.
    const bool reserved = policy_.recent_share > 0;
    const SuffixRoom newest{recent_room(), reserved ? part(newest_share, room_) : 0, reserved ? room_ : 0};
    auto suffix = suffixes_.newest_within(newest);
    layout_.block_tokens = std::min(wanted_block(suffix), std::max<std::int64_t>(0, room_ - suffix.tokens - growth()));
    layout_.suffix = suffix;
    const auto used = selected_tokens();
    if (q_.pace.was_over()) return;   // Each further selection takes as long again.
    const auto share = room_ - used;  // Filled to `target_fill` only: the rest is for what comes.
    auto extended = suffixes_.newest_within(
        {std::max(suffix.tokens, part(policy_.target_fill, share)), newest.newest, newest.most});
    if (extended.tokens + used <= room_ && extended.tokens >= suffix.tokens) layout_.suffix = std::move(extended);
    layout_.block_tokens = std::min(used, room_ - layout_.suffix.tokens);
  }

  /// What a selection within the block's room really takes.
  std::int64_t selected_tokens() {
    if (q_.inputs.request.planning.mode == PlannerMode::none) return std::min(layout_.block_tokens, artifact_tokens_);
    if (select_room() < least_block_tokens) return 0;
    const auto selection = run_selection(select_room());
    if (selection.chosen.empty() && artifact_tokens_ == 0) return 0;
    const auto tokens = std::max(selection.tokens, least_block_tokens);
    return std::min(layout_.block_tokens, tokens + frame_tokens());
  }

  /// Of the block, what is not for texts of the selection and their headers.
  std::int64_t frame_tokens() const {
    const bool older = layout_.suffix.cut > 0 || layout_.suffix.mask_before > 0;
    return p_.overhead_tokens + p_.index_tokens + (older ? p_.older_header_tokens : 0);
  }
  std::int64_t select_room() const { return layout_.block_tokens - frame_tokens(); }

  Selection run_selection(std::int64_t tokens) {
    SelectionRequest request;
    request.query = p_.gathered.query;
    request.hints = layout_.hints;
    request.budget_tokens = tokens;
    request.goal = context_.goal;
    if (q_.inputs.caller != Caller::dry_run) request.embedder = q_.inputs.services->options.embedder.get();
    request.call = q_.inputs.call;
    auto selection = select(all_slices(), request, *p_.counter);
    layout_.embedder_usage = layout_.embedder_usage + selection.embedder_usage;
    return selection;
  }

  std::vector<IndexSlice> all_slices() {
    auto slices = slices_of(q_, competing_messages(q_, layout_.suffix), texts_);
    slices.push_back({&p_.artifacts().index(), 0, p_.artifacts().read(),
                      [this](std::size_t i) -> std::string_view { return items_[i].artifact->content; },
                      [this](std::size_t i) -> std::string_view { return items_[i].header; }});
    return slices;
  }

  void fill() {
    layout_.items.resize(items_.size());
    layout_.relevance.assign(items_.size(), 0.0);
    if (q_.inputs.request.planning.mode == PlannerMode::none) return;
    const auto cut = layout_.suffix.cut;
    const bool all_whole = layout_.block_tokens >= artifact_tokens_ && cut == 0;
    if (all_whole && layout_.everything) return take_artifacts_whole();
    if (select_room() < least_block_tokens) return;
    auto selection = run_selection(select_room());
    layout_.embedder_error = std::move(selection.embedder_error);
    const auto ranges = competing_messages(q_, layout_.suffix);
    std::size_t first_item = 0;
    for (const auto& range : ranges) first_item += range.last - range.first;
    for (std::size_t i = 0; i < items_.size() && first_item + i < selection.relevance.size(); ++i) {
      layout_.relevance[i] = selection.relevance[first_item + i];
    }
    for (const auto repeat : selection.repeats)
      if (repeat >= first_item) layout_.repeats.push_back(repeat - first_item);
    for (auto& chosen : selection.chosen) {
      if (chosen.index < first_item) {
        chosen.index = message_at(ranges, chosen.index);
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
  const std::int64_t room_;
  const PreviousBuild* previous_ = nullptr;  ///< Where it was for this budget.
  std::int64_t artifact_tokens_ = 0;         ///< All of them whole, with headers and the block around them.
  MessageTexts texts_;
  Layout layout_;
};

}  // namespace

Layout plan_layout(const LayoutInput& input) { return RoomSharing(input).share(); }

std::vector<SelectedText> excerpts_for(const std::string& query, std::int64_t tokens, const Suffix& suffix,
                                       const LayoutInput& input) {
  const auto ranges = competing_messages(input, suffix);
  if (ranges.empty()) return {};
  SelectionRequest request;
  request.query = query;
  request.budget_tokens = tokens;
  request.goal = input.inputs.context.goal;
  MessageTexts texts;
  auto chosen = select(slices_of(input, ranges, texts), request, *input.prepared.counter).chosen;
  for (auto& text : chosen) text.index = message_at(ranges, text.index);
  return chosen;
}

}  // namespace ctxmgr::engine
