#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// First messages of the pinned groups, released ones included, that give way among the first `end` messages, ascending. As
/// each pin comes: where all of them take more than half of `room`, the oldest give way until the rest take 0.4 of it, those
/// that a tool rule pinned before those that the host marked. So what has given way stays so. Pure.
[[nodiscard]] std::vector<std::size_t> pins_that_give_way(const ThreadAnalysis& thread, std::size_t end,
                                                          std::int64_t room);

}  // namespace ctxmgr::engine
