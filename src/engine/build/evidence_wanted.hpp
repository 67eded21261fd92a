#pragma once
#include <cstdint>
#include <string_view>

#include "ctxmgr/engine/build_request.hpp"

namespace ctxmgr::engine {

/// The most tokens that evidence of the thread itself takes in a room: `share` of it, which is `evidence_share`, but at least
/// 1 200 tokens or 0.2 of the room, whichever is less.
[[nodiscard]] std::int64_t most_evidence(double share, std::int64_t room);

/// What a message may be answered with from the thread itself, in tokens.
struct WantedEvidence {
  std::int64_t most = 0;   ///< It may take so much of what is free; 0: it gets none.
  std::int64_t least = 0;  ///< Where less is free, a compaction makes room.

  /// What a build without a state leaves free for it, since it does not know what was found.
  std::int64_t set_aside = 0;

  friend bool operator==(const WantedEvidence&, const WantedEvidence&) = default;
};

/// A message that asks gets `most_evidence()` in a loop, and so does one that has an identifier there: who wants something of an
/// agent types no question mark. In a chat a message that `requests()` something may take all that is free, and at least a quarter
/// of the room: each request has its own, and nothing else finds what was said. Any other message of a loop gets a twentieth of
/// the room, and so does one of a chat that names something. Why: docs/decisions/0006, 0007 and 0008.
[[nodiscard]] WantedEvidence evidence_wanted(std::string_view message, bool is_loop, double share, std::int64_t room);

/// No more than the host allows.
[[nodiscard]] std::int64_t capped(std::int64_t evidence, const HistoryPolicy& policy);
[[nodiscard]] WantedEvidence capped(const WantedEvidence& wanted, const HistoryPolicy& policy);

}  // namespace ctxmgr::engine
