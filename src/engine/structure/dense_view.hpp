#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr::engine {

/// The same content written shorter: JSON (also one value a line) without the blanks between its tokens; elsewhere runs
/// of equal lines once with their number, "[×312]", and runs of blank lines as one. Nothing that carries meaning is
/// lost. Source code, diffs and tables come back as they are.
[[nodiscard]] std::string dense_view(std::string_view text, ContentFormat format);

}  // namespace ctxmgr::engine
