#pragma once
#include "engine/build/grown_thread.hpp"

namespace ctxmgr::engine {

/// The thread as the build before left it, with what came since: between two compactions a request is the one before plus
/// something at its end. But in a chat a new question takes the place of what was found for the one before. `compacts`: why it is
/// compacted though it is not full; null: it is not.
[[nodiscard]] GrownThread grow_on(const GrowthTerms& terms, const PreviousBuild& previous, bool same_question,
                                  const char* compacts);

/// The same where no build before is known: goes through the thread as earlier builds did, one before each message of the
/// assistant, and compacts where they did. Where it compacts does not depend on which question is asked now, so room for evidence
/// is set aside from the first question on that may have had any.
[[nodiscard]] GrownThread grow_again(const GrowthTerms& terms);

}  // namespace ctxmgr::engine
