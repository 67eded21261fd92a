#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Stands wherever something is left out of a text. Who puts extracts together looks for it, so all use this one.
inline constexpr std::string_view omission = "\u2026";

}  // namespace ctxmgr::engine
