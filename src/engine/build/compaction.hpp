#pragma once
#include <cstddef>

#include "engine/build/grown_thread.hpp"

namespace ctxmgr::engine {

/// The thread once its first `end` messages are compacted. What rules let go first goes, then the oldest groups, whole, until
/// what stands fits in the target. Where a build before is known the host's hook is asked and told, and there is a report.
[[nodiscard]] GrownThread compact(const GrowthTerms& terms, const GrownThread& before, std::size_t end,
                                  const char* reason);

/// The thread of a loop after a compaction, with as many messages before the cut as fit into the room that notes and evidence leave of
/// theirs. That room is set aside anyway, so the next compaction falls at the same message.
[[nodiscard]] GrownThread filled(const GrowthTerms& terms, GrownThread thread);

}  // namespace ctxmgr::engine
