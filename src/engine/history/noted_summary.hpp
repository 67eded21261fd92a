#pragma once
#include <cstddef>
#include <string>

#include "engine/history/message_range.hpp"

namespace ctxmgr::engine {

/// So many stand in notes, the newest.
inline constexpr std::size_t most_noted_summaries = 4;

/// What a model wrote of a stretch of messages.
struct NotedSummary {
  MessageRange range{};
  std::string text{};
};

}  // namespace ctxmgr::engine
