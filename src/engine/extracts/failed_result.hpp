#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Whether a tool's result says that its call failed: a line that begins with an error's name as tools write it, a
/// Python trace, or an exit code that is not 0. "Error: (none)" says that it did not.
[[nodiscard]] bool is_failed_result(std::string_view text);

}  // namespace ctxmgr::engine
