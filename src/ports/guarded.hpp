#pragma once
#include <new>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr {

/// What a port answers, with whatever it throws made into a failure. `call` returns a Result.
template <class Call>
[[nodiscard]] auto guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::internal, "out of memory");  // short: a text that needs none itself
  } catch (...) {
    return fail(ErrorCode::internal, "a port threw an exception");  // its text may hold anything
  }
}

}  // namespace ctxmgr
