#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/build/layout_values.hpp"
#include "engine/planning/execution.hpp"

/// Summaries of what a compaction hides, made before it: it waits for none, and uses those that are there.
namespace ctxmgr::engine {

/// From so full a room on they are made.
inline constexpr double prepared_fill = 0.8;

/// A thread in segments of about so many tokens, half of them at least. Which group is the last of one its own content says,
/// among those that would do: so segments end in the same places for every later build, and, but for the first few, where
/// the thread is seen from a later message on. Without the last, which still grows. Pure.
[[nodiscard]] std::vector<MessageRange> thread_segments(const ThreadAnalysis& thread, std::int64_t tokens);

/// At most `most_noted_summaries`, newest last: those that end before the cut, as far as the cache has a summary of them.
[[nodiscard]] std::vector<NotedSummary> find_summaries(const LayoutInput& input, std::size_t cut);

/// The same of the ranges that the build before found. Remembers them with the thread.
[[nodiscard]] std::vector<NotedSummary> summaries_again(const LayoutInput& input,
                                                        const std::vector<MessageRange>& ranges);

/// What has to be summarised for the next compaction of a thread whose room is `prepared_fill` full; nothing of any other.
/// `layout`: of a build that compacts the thread now. Artifacts stand for the segments.
[[nodiscard]] std::vector<Artifact> segments_to_prepare(const LayoutInput& input, const Layout& layout);

/// The decision on each of them.
[[nodiscard]] ExecutionItem item_of_segment(const LayoutInput& input, const Artifact& segment);

}  // namespace ctxmgr::engine
