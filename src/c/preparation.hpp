#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "ctxmgr/c/ctxmgr.h"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/engine/context_build.hpp"

namespace ctxmgr::c {

/// Summaries of what the next compaction hides, whose calls the host makes.
/// Thread-safety: calls wait for each other.
class Preparation {
 public:
  explicit Preparation(ContextBuild build) : build_(std::move(build)) {}

  /// {"calls": [{"id", "request"}], "done"}: each call once.
  [[nodiscard]] std::string next();

  /// A chat completion, or, with a code, what a failure said. `bad_data` for what is no completion: the call has failed then.
  [[nodiscard]] Result<void> reply(std::uint64_t id, ctxmgr_code code, std::string_view text);

 private:
  std::mutex mutex_{};
  ContextBuild build_;
};

/// What summaries took, as JSON.
[[nodiscard]] std::string write_usage(const UsageMetadata& usage);

}  // namespace ctxmgr::c
