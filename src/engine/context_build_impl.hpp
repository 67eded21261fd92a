#pragma once
#include "ctxmgr/engine/context_build.hpp"
#include "engine/build_state.hpp"

namespace ctxmgr {

struct ContextBuild::Impl {
  engine::BuildState state;
};

}  // namespace ctxmgr
