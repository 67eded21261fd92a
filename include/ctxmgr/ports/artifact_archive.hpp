#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// Port: keeps whole what a build shortens or leaves out, where the model can read it later. `ContextStore` is one; a
/// host with files or a memory of its own may have another. Bound to one session by construction. Called before a
/// reference is promised to a model; where it fails, none is. From several threads at once. Must not throw.
class CTXMGR_API ArtifactArchive {
 public:
  ArtifactArchive() = default;
  ArtifactArchive(const ArtifactArchive&) = delete;
  ArtifactArchive& operator=(const ArtifactArchive&) = delete;
  virtual ~ArtifactArchive();

  /// Stores the content and returns what the model has to do to read it: `get_context("artifact:9f2c…")`.
  /// The same content gives the same text, build after build.
  [[nodiscard]] virtual Result<std::string> keep(const Artifact& artifact, const CallOptions& call) = 0;

  /// Several, none of them null; the i-th result is for the i-th artifact, and one that fails does not stop the others.
  /// The default calls `keep` for each. Override it where one trip for all is cheaper.
  [[nodiscard]] virtual std::vector<Result<std::string>> keep_all(const std::vector<const Artifact*>& artifacts,
                                                                  const CallOptions& call);
};

}  // namespace ctxmgr
