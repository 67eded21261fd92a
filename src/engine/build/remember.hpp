#pragma once
#include <cstdint>

#include "engine/build/verify.hpp"
#include "engine/history/thread_state.hpp"
#include "engine/planning/planning_cap.hpp"

namespace ctxmgr::engine {

/// The first half of stage 8. What the next build of the thread is told: the cut, extracts, evidence, the block's turn and
/// room, a model's plan, what was sent, and what planning has taken so far. `planning`: what it took in this build. Pure.
[[nodiscard]] PreviousBuild remember(const FillInput& input, const Verified& verified, const Spending& planning);

/// The last token count passed at which a thread's usage is worth a warning, in percent; 0: none.
[[nodiscard]] int usage_threshold(std::int64_t tokens, std::int64_t max_input);

}  // namespace ctxmgr::engine
