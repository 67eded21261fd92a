#pragma once
#include <cstddef>

namespace ctxmgr::engine {

/// The largest number up to `count` that `fits`, where fewer fit as well; 0 fits without being asked. Asks about
/// 2 × log2 of how far it is below `count`: what nearly fits is found at once.
template <class Fits>
std::size_t most_that_fit(std::size_t count, Fits fits) {
  if (count == 0 || fits(count)) return count;
  std::size_t above = count;  // Does not fit.
  std::size_t below = count;
  for (std::size_t step = 1; below > 0; step *= 2) {
    below = above - (step < above ? step : above);
    if (below == 0 || fits(below)) break;
    above = below;
  }
  while (above - below > 1) {
    const std::size_t middle = below + (above - below) / 2;
    (fits(middle) ? below : above) = middle;
  }
  return below;
}

}  // namespace ctxmgr::engine
