#pragma once
#include <cstdint>
#include <string>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/plan.hpp"

namespace ctxmgr {

/// Everything that makes one summary different from another. Two keys are the same where all fields are. Blanks, case and closing
/// marks of the focus do not count. The target counts by its bucket: 16, 24, 32, 48, 64, 96 … tokens.
struct SummaryKey {
  /// Session or tenant: nothing is shared across scopes. Without one a summary is kept in the memory of this process alone.
  std::string scope{};
  std::string artifact_id{};
  std::string content_hash{};  ///< `content_hash(artifact)`.
  ProcessingStrategy strategy = ProcessingStrategy::summarize;
  std::string focus{};
  std::string model{};             ///< The summariser.
  std::int64_t target_tokens = 0;  ///< Length aimed at.
  std::string prompt_version{};    ///< Changes whenever the summariser's prompt does.
  Trust trust = Trust::untrusted;
};

}  // namespace ctxmgr
