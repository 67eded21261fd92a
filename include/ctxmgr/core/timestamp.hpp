#pragma once
#include <chrono>

namespace ctxmgr {

/// Wall-clock time, UTC. Stored and exported with millisecond precision.
using Timestamp = std::chrono::system_clock::time_point;

}  // namespace ctxmgr
