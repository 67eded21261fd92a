#include <algorithm>
#include <utility>

#include "engine/build/parts.hpp"

namespace ctxmgr::engine {
namespace {

std::int64_t steps_tokens(const Parts& parts, const AssemblySource& source) {
  const auto& steps = source.context.step_records;
  if (parts.skipped_steps >= steps.size()) return 0;
  return source.counter.count_message(render_steps(steps, parts.skipped_steps, parts.step_results));
}

/// "Result of search: " and the like.
constexpr std::int64_t most_result_frame_tokens = 16;

/// One rung at a time; each makes the list shorter or is skipped for good.
class Ladder {
 public:
  Ladder(Parts& parts, const AssemblySource& source, const std::vector<std::size_t>& least_important_first,
         const SmallerView& smaller)
      : parts_(parts), source_(source), order_(least_important_first), smaller_(smaller) {}

  bool step_down(std::int64_t excess) {
    return drop_former_evidence() || shorten_entry(excess) || drop_index() || drop_step_results(excess) ||
           drop_steps(excess) || leave_out_images() || drop_notes() || drop_evidence() || drop_group() || drop_task() ||
           drop_behind();
  }

 private:
  bool shorten_entry(std::int64_t excess) {
    for (; next_ < order_.size(); ++next_) {
      auto& entries = parts_.block.entries;
      const auto entry =
          std::find_if(entries.begin(), entries.end(), [&](const BlockEntry& e) { return e.item == order_[next_]; });
      if (entry == entries.end()) continue;
      if (auto smaller = smaller_(*entry, excess); smaller && smaller->text.size() < entry->text.size()) {
        *entry = std::move(*smaller);
        return true;
      }
      entries.erase(entry);
      if (!is_listed(order_[next_])) ++parts_.block.not_listed;
      ++next_;
      return true;
    }
    return false;
  }

  bool is_listed(std::size_t item) const {
    return std::any_of(parts_.block.index.begin(), parts_.block.index.end(),
                       [item](const IndexLine& line) { return line.item == item; });
  }

  bool drop_index() {
    if (parts_.block.empty() || !parts_.block.entries.empty()) return false;
    parts_.block = DataBlock{};
    return true;
  }

  /// The oldest, as many as the excess takes at the least: one at a time, all others would be rendered and counted again
  /// for each.
  bool drop_step_results(std::int64_t excess) {
    bool dropped = false;
    for (auto& text : parts_.step_results) {
      if (text.empty()) continue;
      if (excess <= 0) break;
      excess -= source_.counter.count(text) + most_result_frame_tokens;
      text.clear();
      dropped = true;
    }
    return dropped;
  }

  bool drop_steps(std::int64_t excess) {
    const auto& steps = source_.context.step_records;
    const auto first = parts_.skipped_steps;
    while (parts_.skipped_steps < steps.size() && excess > 0) {
      const auto& step = steps[parts_.skipped_steps++];
      excess -=
          source_.counter.count_message(render_steps({step}, 0, std::vector<std::string>(step.tool_results.size())));
    }
    return parts_.skipped_steps > first;
  }

  bool leave_out_images() {
    return !std::exchange(images_left_out_, true) && source_.suffixes.keep_newest_images(parts_.suffix);
  }
  bool drop_former_evidence() {
    if (parts_.evidence.empty() || parts_.evidence.front().made.question == source_.question) return false;
    parts_.evidence.erase(parts_.evidence.begin());
    return true;
  }
  bool drop_evidence() {
    if (parts_.evidence.empty()) return false;
    parts_.evidence.erase(parts_.evidence.begin());
    return true;
  }
  bool drop_notes() {
    if (!parts_.head.notes) return false;
    parts_.head.tokens -= source_.counter.count_message(*parts_.head.notes);
    parts_.head.notes.reset();
    return true;
  }
  bool drop_task() {
    if (parts_.head.task.empty() || parts_.head.task.front().message == source_.question) return false;
    const auto& oldest = parts_.head.task.front();
    parts_.head.tokens -= oldest.tokens;
    parts_.head.task.erase(parts_.head.task.begin());
    return true;
  }
  bool drop_behind() {
    auto& behind = parts_.head.behind;
    if (behind.empty()) return false;
    parts_.head.tokens -= source_.counter.count_message(behind.back());
    behind.pop_back();
    return true;
  }
  bool drop_group() { return source_.suffixes.drop_oldest_group(parts_.suffix); }

  Parts& parts_;
  const AssemblySource& source_;
  const std::vector<std::size_t>& order_;
  const SmallerView& smaller_;
  std::size_t next_ = 0;
  bool images_left_out_ = false;
};

}  // namespace

std::int64_t tokens_of(const Parts& parts, const AssemblySource& source) {
  auto tokens = parts.fixed.tokens + parts.head.tokens + parts.suffix.tokens + steps_tokens(parts, source);
  for (const auto& shown : parts.evidence) tokens += shown.tokens;
  if (!parts.block.empty()) tokens += source.counter.count_message(render(parts.block));
  return tokens;
}

std::size_t shrink_to(std::int64_t max_input, Parts& parts, const AssemblySource& source,
                      const std::vector<std::size_t>& least_important_first, const SmallerView& smaller) {
  Ladder ladder(parts, source, least_important_first, smaller);
  std::size_t steps = 0;
  for (auto tokens = tokens_of(parts, source); tokens > max_input; tokens = tokens_of(parts, source)) {
    if (!ladder.step_down(tokens - max_input)) break;
    ++steps;
  }
  return steps;
}

}  // namespace ctxmgr::engine
