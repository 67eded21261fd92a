#pragma once
#include <cstddef>

#include "engine/build/grown_thread.hpp"

namespace ctxmgr::engine {

/// The thread once its first `end` messages are compacted. What rules let go first goes, then the oldest groups, whole, until
/// what stands fits in the target. Where a build before is known the host's hook is asked and told, and there is a report.
[[nodiscard]] GrownThread compact(const GrowthTerms& terms, const GrownThread& before, std::size_t end,
                                  const char* reason);

/// A loop's thread after a compaction, whose history goes back as far as notes and evidence left room of what was set aside for them. So
/// the next compaction falls where it would, whatever was found.
[[nodiscard]] GrownThread filled(const GrowthTerms& terms, GrownThread thread);

}  // namespace ctxmgr::engine
