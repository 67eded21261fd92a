#pragma once
#include <cstdint>

namespace ctxmgr::engine {

/// A share of so many tokens, in whole tokens.
[[nodiscard]] constexpr std::int64_t part(double share, std::int64_t tokens) {
  return static_cast<std::int64_t>(share * static_cast<double>(tokens));
}

}  // namespace ctxmgr::engine
