#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/build/evidence.hpp"
#include "engine/build/evidence_wanted.hpp"
#include "engine/build/grown_thread.hpp"

/// What a thread that goes on is searched for, and what of it is searched.
namespace ctxmgr::engine {

/// What a message of the user may be answered with from the thread itself.
[[nodiscard]] WantedEvidence wanted_by(const GrowthTerms& terms, std::size_t message);

/// What of the first `end` messages is looked through, and what is not because it is shown. It says not yet what for.
[[nodiscard]] ThreadSearch search_of(const GrowthTerms& terms, const GrownThread& thread, std::size_t end,
                                     std::int64_t tokens);

/// With what the cut hides of what the user wanted at the last compaction: the newest message that is long enough for a task, and
/// the shorter ones behind it. It stands behind the notes, in what is set aside for both, until the next compaction. The same
/// thread where that is there already, and in a chat, where each request has evidence of its own.
[[nodiscard]] GrownThread with_task_evidence(const GrowthTerms& terms, GrownThread thread);

}  // namespace ctxmgr::engine
