#pragma once
#include "engine/build/layout_values.hpp"

namespace ctxmgr::engine {

/// Stage 2. Shares the room. A single request takes the newest turns, then evidence, then more history. A thread that goes on
/// keeps what was sent and grows at its end; where that is too much, one deep compaction makes room.
[[nodiscard]] Layout plan_layout(const LayoutInput& input);

}  // namespace ctxmgr::engine
