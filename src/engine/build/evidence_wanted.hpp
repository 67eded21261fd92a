#pragma once
#include <cstdint>
#include <string_view>

namespace ctxmgr::engine {

/// The most tokens that evidence of the thread itself takes in a room: `share` of it, which is `evidence_share`, but at least
/// 1 200 tokens or 0.2 of the room, whichever is less.
[[nodiscard]] std::int64_t most_evidence(double share, std::int64_t room);

/// What a user's message may be answered with from the thread itself, in tokens. All of `most_evidence()` gets a message that
/// asks, and in a loop one that has an identifier: who wants something of an agent types no question mark. A twentieth of
/// the room gets any other in a loop, and in a chat one that names something. The shares: docs/decisions/0006.
[[nodiscard]] std::int64_t evidence_wanted(std::string_view message, bool is_loop, double share, std::int64_t room);

}  // namespace ctxmgr::engine
