#pragma once
#include <cstddef>

/// \file
/// The allocator of this test binary, which can be told to fail.
namespace ctxmgr::testing {

enum class Failing {
  once,
  forever,  ///< From then on.
};

/// The allocation after `successes` more of this process fails.
void let_memory_fail(std::size_t successes, Failing how);
void let_memory_be();

/// Allocations since the process began.
std::size_t allocations();

}  // namespace ctxmgr::testing
