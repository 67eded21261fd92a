#include "engine/build/layout.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/history/compaction.hpp"

namespace ctxmgr::engine {
namespace {

/// Less room than this is not worth a block.
constexpr std::int64_t least_block_tokens = 48;

/// Of the room, what the newest turns get in a single request before evidence is chosen.
constexpr double one_shot_newest_share = 0.25;

/// Of the room, what is kept free for the next steps when evidence is chosen.
constexpr double headroom_share = 0.1;

/// Of the room, what artifacts of the host may take in a thread that goes on growing.
constexpr double artifact_share = 0.5;

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
  if (q.policy.evidence_share == 0) return ranges;
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
  explicit RoomSharing(const LayoutQuestion& question)
      : q_(question),
        head_{question.context.conversation_history,
              question.thread,
              question.counter,
              question.gathered.question,
              question.total_room,
              question.policy.notes_share,
              question.is_loop && question.policy.keep_task} {
    for (std::size_t i = 0; i < q_.artifacts.size(); ++i)
      artifact_tokens_ += q_.artifacts.tokens(i) + q_.header_tokens[i];
    if (artifact_tokens_ > 0) artifact_tokens_ += q_.overhead_tokens;
  }

  Layout share() {
    layout_.same_question = q_.memory && q_.memory->question == q_.question;
    // For the same question the same evidence, whatever was said since.
    layout_.hinted_by = layout_.same_question ? q_.memory->hinted_by : q_.thread.size();
    layout_.hints = hints_of(q_.context, q_.gathered, layout_.hinted_by);
    if (!was_compacted() && take_everything()) {
    } else if (q_.memory && q_.mode != PlannerMode::none) {
      grow();
    } else {
      fill_room();
    }
    fill();
    if (layout_.compacted_at > 0) layout_.head = make_head(head_, layout_.suffix.cut, layout_.suffix.mask_before);
    return std::move(layout_);
  }

 private:
  bool was_compacted() const {
    return q_.memory && (q_.memory->cut > 0 || q_.memory->mask_before > 0 || !q_.memory->extracts.empty());
  }

  std::int64_t older_tokens(const Suffix& suffix) const { return q_.suffixes.tokens_before(suffix.cut); }
  std::int64_t block_demand(const Suffix& suffix) const {
    const auto older = older_tokens(suffix) + q_.suffixes.masked_away(suffix);
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

  /// A single request: the newest turns, then evidence, then as much more history as there is room for.
  void fill_room() {
    // Steps that follow the question need their newest result; turns before it can be found as evidence.
    const auto newest = part(q_.policy.newest_share, q_.total_room);
    layout_.suffix = q_.suffixes.newest_within(
        {part(one_shot_newest_share, q_.room), q_.goes_on ? newest : 0, q_.goes_on ? q_.room : 0});
    layout_.block_tokens =
        std::min(block_demand(layout_.suffix), std::max<std::int64_t>(0, q_.room - layout_.suffix.tokens));
    const auto used = selected_tokens();
    if (q_.pace.was_over()) return;  // Each further selection takes as long again.
    auto extended = q_.suffixes.newest_within({q_.room - used, q_.goes_on ? std::min(newest, q_.room - used) : 0, 0});
    if (extended.tokens >= layout_.suffix.tokens) layout_.suffix = std::move(extended);
    layout_.block_tokens = std::min(used, q_.room - layout_.suffix.tokens);
  }

  /// A thread that goes on: what was sent stays as it was, and grows at its end, until the room is full.
  void grow() {
    keep_what_was_sent();
    if (layout_.same_question && q_.is_loop && q_.memory->block_tokens > part(artifact_share, q_.total_room))
      layout_.same_question = false;  // A first request was filled; its steps need room.
    auto running = layout_.same_question ? q_.memory->block_tokens : 0;
    if (stands() + running > q_.room) {
      compact_beside(running);
      if (stands() + running > q_.room) layout_.same_question = false;  // Its evidence has to be smaller.
    }
    if (!layout_.same_question) running = evidence_for_new_question();
    layout_.block_tokens = running;
  }

  void keep_what_was_sent() {
    layout_.suffix = q_.suffixes.again(q_.memory->cut, q_.memory->mask_before, q_.memory->extracts);
    head_.compacted_at = layout_.compacted_at = q_.memory->compacted_at;
  }

  /// What is sent without evidence: task, notes and kept history.
  std::int64_t stands() const { return layout_.suffix.tokens + beside(layout_.suffix.cut, layout_.suffix.mask_before); }

  std::int64_t beside(std::size_t cut, std::size_t mask_before) const {
    if (cut == 0 && mask_before == 0) return 0;
    return make_task(head_, cut).tokens + part(head_.notes_share, q_.total_room);
  }

  void compact_beside(std::int64_t evidence) {
    head_.compacted_at = layout_.compacted_at = q_.thread.size();
    CompactionRoom room;
    room.room = q_.total_room;
    room.target = part(q_.policy.target_fill, q_.total_room - evidence) - (q_.total_room - q_.room);
    room.masks = q_.is_loop;
    room.newest_share = q_.policy.newest_share;
    room.beside = [this](std::size_t cut, std::size_t mask_before) { return beside(cut, mask_before); };
    layout_.suffix = compact(layout_.suffix, room, q_.thread, q_.suffixes);
  }

  /// What is left beside the kept history, if that is enough; else a compaction makes room.
  std::int64_t evidence_for_new_question() {
    const auto share = [this] {
      if (!q_.is_loop) return std::max<std::int64_t>(0, q_.room - stands() - part(headroom_share, q_.total_room));
      const auto own = block_demand(layout_.suffix) - artifact_tokens_;
      return std::min(artifact_tokens_, part(artifact_share, q_.total_room)) +
             std::min(own, part(q_.policy.evidence_share, q_.total_room));
    };
    const auto wanted = std::min(block_demand(layout_.suffix), q_.is_loop ? share() : q_.room / 4);
    if (q_.room - stands() < wanted / 2 && layout_.compacted_at != q_.thread.size()) compact_beside(wanted);
    return std::clamp<std::int64_t>(q_.room - stands(), 0, std::min(block_demand(layout_.suffix), share()));
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
  HeadInput head_;
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
