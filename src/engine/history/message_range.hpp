#pragma once
#include <cstddef>

namespace ctxmgr::engine {

/// [first, last).
struct MessageRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

}  // namespace ctxmgr::engine
