#pragma once
#include <memory>
#include <utility>

#include "engine/build/build_state.hpp"

namespace ctxmgr {

struct ContextBuild::Impl {
  Impl(const Context& context, BuildRequest request, std::shared_ptr<const engine::Environment> environment,
       CallOptions call, engine::Caller caller)
      : state(context, std::move(request), std::move(environment), std::move(call), caller) {}

  engine::BuildState state;
  std::optional<Error> broken{};  ///< A port threw where there was nobody to tell: `finish()` does.
};

}  // namespace ctxmgr
