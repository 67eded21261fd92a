#pragma once
#include <cstddef>
#include <vector>

namespace ctxmgr::engine {

/// [first, last).
struct MessageRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Adds a message to ascending ranges, to the last of them where it follows on that.
inline void add_message(std::size_t message, std::vector<MessageRange>& ranges) {
  if (ranges.empty() || ranges.back().last != message) ranges.push_back({message, message});
  ranges.back().last = message + 1;
}

}  // namespace ctxmgr::engine
