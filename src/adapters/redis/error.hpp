#pragma once
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::redis {

/// What an error reply means to a caller. Only its first word is repeated: the rest may quote what was sent.
[[nodiscard]] Error error_from_reply(std::string_view reply);

}  // namespace ctxmgr::redis
