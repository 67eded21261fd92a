#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Whether a user's message may hold words of somebody else: it has several lines, something quoted, marked or announced by a
/// colon, or it tells what others say. A colon behind "one more thing" or "from now on" announces the writer's own words, and a
/// short quote within a sentence is his sentence. Whoever reads such words as the user's lets an outsider speak for him, and
/// nothing shows for sure where pasted text ends: so only one line of plain prose is surely the user's own. Any bytes will do.
[[nodiscard]] bool may_hold_pasted_text(std::string_view message);

}  // namespace ctxmgr::engine
