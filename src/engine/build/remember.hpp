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

/// Where the request wants it (`BuildRequest::tells_room`): once at each threshold of a thread that goes on, a line at the
/// very end that says how many tokens are free. The next request has it no more, so what stands before it is what the two begin
/// with. Only behind a tool's result: there an agent works on. Never over the budget.
void tell_room(const FillInput& input, Verified& verified);

/// The last threshold that a thread passed: 50, 75 or 90 % of its budget; 0: none. `step`: what the newest step added. Where two
/// more like it would not fit into what is left, a thread that is half full counts as one of 90 %. Pure.
[[nodiscard]] int room_threshold(std::int64_t tokens, std::int64_t step, std::int64_t max_input);

}  // namespace ctxmgr::engine
