#pragma once
#include <cstdint>

#include "engine/build/fill.hpp"

namespace ctxmgr::engine {

/// The messages to send, counted, and what they were made of.
struct Verified {
  Assembly assembly{};
  Filled filled{};
  std::int64_t tokens = 0;
  int told_percent = 0;       ///< The last threshold that the model was told of since the last compaction.
  bool stepped_down = false;  ///< Whether something was shortened or left out to fit.
};

/// Stage 6. Assembles and counts the whole. Parts that count more together than one by one are stepped down until the
/// list fits; `budget_exceeded` where that does not happen. Pure.
[[nodiscard]] Result<Verified> verify(const FillInput& input, Filled filled);

/// What assembling looks at besides the parts.
[[nodiscard]] AssemblySource source_of(const BuildInputs& inputs, const Prepared& prepared);

}  // namespace ctxmgr::engine
