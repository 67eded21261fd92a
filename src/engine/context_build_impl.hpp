#pragma once
#include <memory>
#include <utility>

#include "engine/build/build.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr {

struct ContextBuild::Impl {
  explicit Impl(engine::BuildInputs inputs)
      : context(inputs.context), shape(shape_of(context)), seen(fingerprint_of(context)), build(std::move(inputs)) {}

  /// Where a context has its parts.
  static engine::Fingerprint shape_of(const Context& context);
  /// The same with everything of it that a build reads.
  static engine::Fingerprint fingerprint_of(const Context& context);

  /// Remembers an error where the context is not what it was: what the build holds of it may be gone.
  bool is_usable(bool read_all);

  const Context& context;
  const engine::Fingerprint shape;
  const engine::Fingerprint seen;
  engine::Build build;
  std::optional<Error> broken{};  ///< A port threw where there was nobody to tell: `finish()` does.
};

}  // namespace ctxmgr
