#pragma once
#include <memory>
#include <utility>

#include "engine/build/build.hpp"

namespace ctxmgr {

struct ContextBuild::Impl {
  explicit Impl(engine::BuildInputs inputs) : build(std::move(inputs)) {}

  engine::Build build;
  std::optional<Error> broken{};  ///< A port threw where there was nobody to tell: `finish()` does.
};

}  // namespace ctxmgr
