#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// Case folded and composed as Unicode has it; ill-formed text comes back repaired.
[[nodiscard]] std::string fold_case(std::string_view text);

}  // namespace ctxmgr::engine
