#pragma once
#include <string_view>
#include <vector>

#include "ctxmgr/session/context_entry.hpp"

namespace ctxmgr {

/// What an agent may do with a key, by the rules. Pure.
[[nodiscard]] Access access_of(const std::vector<AccessRule>& rules, std::string_view agent, std::string_view key);

}  // namespace ctxmgr
