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

std::int64_t part(double share, std::int64_t tokens) {
  return static_cast<std::int64_t>(share * static_cast<double>(tokens));
}

/// [first, last).
struct MessageRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Reads the messages for the search; what there was no time for is out.
std::vector<MessageRange> while_there_is_time(std::vector<MessageRange> ranges, const LayoutQuestion& q) {
  if (!ranges.empty()) q.thread.index_up_to(ranges.back().last, q.context.conversation_history, q.pace);
  const auto read = q.thread.index().size();
  while (!ranges.empty() && ranges.back().first >= read) ranges.pop_back();
  if (!ranges.empty()) ranges.back().last = std::min(ranges.back().last, read);
  return ranges;
}

/// Messages that compete: those before the cut but for the question, and results that are masked in the suffix.
std::vector<MessageRange> competing_messages(const LayoutQuestion& q, const Suffix& suffix) {
  std::vector<MessageRange> ranges;
  const auto question = q.gathered.question.value_or(suffix.cut);
  if (question > 0 && suffix.cut > 0) ranges.push_back({0, std::min(question, suffix.cut)});
  if (question + 1 < suffix.cut) ranges.push_back({question + 1, suffix.cut});
  for (std::size_t i = suffix.cut; i < std::min(suffix.mask_before, q.thread.size()); ++i) {
    const bool result = q.context.conversation_history[i].role == Role::tool;
    if (!result || q.suffixes.is_fixed(q.thread.group_of(i)) || suffix.extracts.contains(i)) continue;
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

std::vector<IndexSlice> slices_of(const LayoutQuestion& q, const std::vector<MessageRange>& ranges,
                                  MessageTexts& texts) {
  const auto& messages = q.context.conversation_history;
  const auto text_of_message = [&](std::size_t i) -> std::string_view {
    auto [text, fresh] = texts.try_emplace(i);
    if (fresh) text->second = indexed_text(q.thread, messages, i);
    return text->second;
  };
  std::vector<IndexSlice> slices;
  for (const auto& range : ranges) slices.push_back({&q.thread.index(), range.first, range.last, text_of_message, {}});
  return slices;
}

class RoomSharing {
 public:
  explicit RoomSharing(const LayoutQuestion& question) : q_(question) {
    for (std::size_t i = 0; i < q_.artifacts.size(); ++i)
      artifact_tokens_ += q_.artifacts.tokens(i) + q_.header_tokens[i];
    if (artifact_tokens_ > 0) artifact_tokens_ += q_.overhead_tokens;
  }

  Layout share() {
    const bool kept = keep_what_was_sent();
    // For the same question the same block, whatever was said since.
    layout_.hinted_by = kept && layout_.same_question ? q_.memory->hinted_by : q_.thread.size();
    layout_.hints = hints_of(q_.context, q_.gathered, layout_.hinted_by);
    if (!kept && !take_everything()) compact();
    fill();
    return std::move(layout_);
  }

 private:
  bool has_cut() const {
    return q_.memory && (q_.memory->cut > 0 || q_.memory->mask_before > 0 || !q_.memory->extracts.empty());
  }
  std::int64_t recent_room() const { return part(q_.policy.recent_share, q_.room); }
  /// A thread that overflowed will go on growing: room for that, or it would be cut again at the next step.
  std::int64_t growth() const { return q_.memory ? part((1 - q_.policy.target_fill) / 2, q_.room) : 0; }

  /// In such a thread, excerpts of what was just cut take a part of the room only: the newest groups, masked, keep their
  /// bytes from build to build, and excerpts do not.
  std::int64_t wanted_block(const Suffix& suffix) const {
    const auto demand = block_demand(suffix);
    return q_.memory ? std::min(demand, artifact_tokens_ + part(excerpt_share, q_.room)) : demand;
  }

  std::int64_t older_tokens(const Suffix& suffix) const { return q_.suffixes.tokens_before(suffix.cut); }
  std::int64_t block_demand(const Suffix& suffix) const {
    const auto older = older_tokens(suffix);
    return artifact_tokens_ + older + (older > 0 && artifact_tokens_ == 0 ? q_.overhead_tokens : 0);
  }

  bool take_everything() {
    auto whole = q_.suffixes.everything();
    if (whole.tokens + artifact_tokens_ > q_.room) return false;
    layout_.suffix = whole;
    layout_.block_tokens = artifact_tokens_;
    layout_.everything = true;
    return true;
  }

  /// Cut, masks and, for the same question, the block as they were, as long as they fit.
  bool keep_what_was_sent() {
    if (!q_.memory) return false;
    layout_.same_question = q_.memory->question == q_.question;
    if (!has_cut() && !layout_.same_question) return false;
    auto suffix = q_.suffixes.again(q_.memory->cut, q_.memory->mask_before, q_.memory->extracts);
    std::int64_t block = 0;
    if (layout_.same_question) {
      block = q_.memory->block_tokens;
    } else if (!block_for_new_question(suffix, block)) {
      return false;
    }
    if (suffix.tokens + block > q_.room) {
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
    const auto left = q_.room - suffix.tokens;
    block = std::min(demand, left);
    if (demand <= left) return true;
    // The thread will grow before the question is answered; a block that takes all would be cut at the next step.
    const auto growth = part((1 - q_.policy.target_fill) * q_.policy.recent_share, q_.room);
    block = std::max<std::int64_t>(0, left - growth);
    const auto fair = std::min(artifact_tokens_, (q_.room - recent_room()) / 2);
    return block >= fair;
  }

  void compact() {
    // Without a share of its own, the newest group competes like the rest.
    const bool reserved = q_.policy.recent_share > 0;
    const SuffixRoom newest{recent_room(), reserved ? part(newest_share, q_.room) : 0, reserved ? q_.room : 0};
    auto suffix = q_.suffixes.newest_within(newest);
    layout_.block_tokens =
        std::min(wanted_block(suffix), std::max<std::int64_t>(0, q_.room - suffix.tokens - growth()));
    layout_.suffix = suffix;
    const auto used = selected_tokens();
    if (q_.pace.was_over()) return;     // Each further selection takes as long again.
    const auto share = q_.room - used;  // Filled to `target_fill` only: the rest is for what comes.
    auto extended = q_.suffixes.newest_within(
        {std::max(suffix.tokens, part(q_.policy.target_fill, share)), newest.newest, newest.most});
    if (extended.tokens + used <= q_.room && extended.tokens >= suffix.tokens) layout_.suffix = std::move(extended);
    layout_.block_tokens = std::min(used, q_.room - layout_.suffix.tokens);
  }

  /// What a selection within the block's room really takes.
  std::int64_t selected_tokens() {
    if (q_.mode == PlannerMode::none) return std::min(layout_.block_tokens, artifact_tokens_);
    if (select_room() < least_block_tokens) return 0;
    const auto selection = run_selection(select_room());
    if (selection.chosen.empty() && artifact_tokens_ == 0) return 0;
    const auto tokens = std::max(selection.tokens, least_block_tokens);
    return std::min(layout_.block_tokens, tokens + frame_tokens());
  }

  /// Of the block, what is not for texts of the selection and their headers.
  std::int64_t frame_tokens() const {
    const bool older = layout_.suffix.cut > 0 || layout_.suffix.mask_before > 0;
    return q_.overhead_tokens + q_.index_tokens + (older ? q_.older_header_tokens : 0);
  }
  std::int64_t select_room() const { return layout_.block_tokens - frame_tokens(); }

  Selection run_selection(std::int64_t tokens) {
    SelectionRequest request;
    request.query = q_.gathered.query;
    request.hints = layout_.hints;
    request.budget_tokens = tokens;
    request.goal = q_.context.goal;
    request.embedder = q_.embedder;
    request.call = q_.call;
    auto selection = select(all_slices(), request, q_.counter);
    layout_.embedder_usage = layout_.embedder_usage + selection.embedder_usage;
    return selection;
  }

  std::vector<IndexSlice> all_slices() {
    auto slices = slices_of(q_, competing_messages(q_, layout_.suffix), texts_);
    slices.push_back({&q_.artifacts.index(), 0, q_.artifacts.read(),
                      [this](std::size_t i) -> std::string_view { return q_.gathered.items[i].artifact->content; },
                      [this](std::size_t i) -> std::string_view { return q_.headers[i]; }});
    return slices;
  }

  void fill() {
    layout_.items.resize(q_.artifacts.size());
    layout_.relevance.assign(q_.artifacts.size(), 0.0);
    if (q_.mode == PlannerMode::none) return;
    const auto cut = layout_.suffix.cut;
    const bool all_whole = layout_.block_tokens >= artifact_tokens_ && cut == 0;
    if (all_whole && layout_.everything) return take_artifacts_whole();
    if (select_room() < least_block_tokens) return;
    auto selection = run_selection(select_room());
    layout_.embedder_error = std::move(selection.embedder_error);
    const auto ranges = competing_messages(q_, layout_.suffix);
    std::size_t first_item = 0;
    for (const auto& range : ranges) first_item += range.last - range.first;
    for (std::size_t i = 0; i < q_.artifacts.size() && first_item + i < selection.relevance.size(); ++i) {
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
    for (std::size_t i = 0; i < q_.artifacts.size(); ++i) {
      SelectedText whole;
      whole.index = i;
      whole.view = ArtifactView::full;
      whole.text = q_.gathered.items[i].artifact->content;
      whole.tokens = q_.artifacts.tokens(i);
      whole.relevance = 1;
      layout_.items[i] = std::move(whole);
      layout_.relevance[i] = 1;
    }
  }

  const LayoutQuestion& q_;
  std::int64_t artifact_tokens_ = 0;  ///< All of them whole, with headers and the block around them.
  MessageTexts texts_;
  Layout layout_;
};

}  // namespace

Layout share_room(const LayoutQuestion& question) { return RoomSharing(question).share(); }

std::vector<SelectedText> excerpts_for(const std::string& query, std::int64_t tokens, const Suffix& suffix,
                                       const LayoutQuestion& question) {
  const auto ranges = competing_messages(question, suffix);
  if (ranges.empty()) return {};
  SelectionRequest request;
  request.query = query;
  request.budget_tokens = tokens;
  request.goal = question.context.goal;
  MessageTexts texts;
  auto chosen = select(slices_of(question, ranges, texts), request, question.counter).chosen;
  for (auto& text : chosen) text.index = message_at(ranges, text.index);
  return chosen;
}

}  // namespace ctxmgr::engine
