#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr::engine {

/// The same content written shorter: what a JSON parser takes (as a whole, or each line of it) without the blanks between
/// its tokens, so that it still parses to the same, and likewise the arguments of the calls at the end of a message.
/// Everything else, and what only looks like JSON, comes back as it is.
[[nodiscard]] std::string dense_view(std::string_view text, ContentFormat format);

}  // namespace ctxmgr::engine
