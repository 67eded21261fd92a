#pragma once
#include <cstdint>

namespace ctxmgr {

/// Beyond any window; keeps the arithmetic in range.
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

}  // namespace ctxmgr
