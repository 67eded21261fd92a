#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// The newest call of a tool that keeps its latest.
struct LatestState {
  std::size_t message = 0;  ///< That made it,
  std::size_t call = 0;     ///< among its calls.
};

/// What tool rules say of a history that is compacted, and calls that were made again at once with the same result: a status that was
/// polled. It follows from the messages, so that no state has to say it.
struct SteeredHistory {
  std::vector<std::size_t> dropped{};  ///< First messages of groups that go before the oldest do, ascending.
  std::vector<LatestState> states{};   ///< Ascending.
};

/// Of the first `end` messages. What begins with message `newest` or later stays. Linear in the groups, and nothing at all
/// in a thread whose tools no rule concerns and that repeats nothing. Pure.
[[nodiscard]] SteeredHistory steer(const ThreadAnalysis& thread, const std::vector<ConversationMessage>& history,
                                   std::size_t end, std::size_t newest);

/// The first `count` states as one message of at most `most` tokens, each with head and tail where they are too long.
/// nullopt where there are none, or no room.
[[nodiscard]] std::optional<ConversationMessage> render_states(const std::vector<ConversationMessage>& history,
                                                               const std::vector<LatestState>& states,
                                                               std::size_t count, std::int64_t most,
                                                               const TokenCounter& counter);

}  // namespace ctxmgr::engine
