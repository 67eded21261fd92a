#pragma once
#include <new>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr {

/// What a port does, with whatever it throws made into a failure. What was thrown may hold content or secrets, so it is
/// not passed on.
template <class Call>
[[nodiscard]] auto guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return fail(ErrorCode::internal, "a port threw an exception");
  }
}

}  // namespace ctxmgr
