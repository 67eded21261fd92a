#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// Whether a message from `first` on has a call of `compact_context`.
[[nodiscard]] bool asks_for_compaction(const std::vector<ConversationMessage>& messages, std::size_t first);

/// What a compaction has to bring the kept history to.
struct CompactionRoom {
  std::int64_t room = 0;      ///< Tokens of all that is neither system message nor pin: history, task, notes, evidence.
  std::int64_t target = 0;    ///< What task, notes and kept history may take together afterwards.
  bool masks = false;         ///< Whether old results are masked in place before groups are cut.
  double newest_share = 0.4;  ///< Of `room`, what the newest group may take before its results become extracts.

  /// Tokens of what stands beside a kept history that begins at `cut`: the task that was cut, and the notes.
  std::function<std::int64_t(std::size_t cut, std::size_t mask_before)> beside{};
};

/// One deep compaction instead of many small ones: old results are masked, oldest first, until the target is reached;
/// what is still too much is cut, oldest groups first. The newest group always stays, at worst with extracts of its
/// results. Of what is masked the smallest results stay whole as far as the target has room. `before` is what was kept until
/// now: nothing that it cut comes back.
[[nodiscard]] Suffix compact(const Suffix& before, const CompactionRoom& room, const ThreadAnalysis& thread,
                             SuffixPlanner& suffixes);

/// For running steps of a loop whose state nobody keeps: the cut stands after as many steps of 0.4 of the room as have to go, so
/// that it, and with it all that is sent before it, stays the same until another such step is full. `room.target`: what may stand.
/// nullopt where not even the newest groups fit so.
[[nodiscard]] std::optional<Suffix> cut_in_steps(const CompactionRoom& room, const ThreadAnalysis& thread,
                                                 SuffixPlanner& suffixes);

}  // namespace ctxmgr::engine
