#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// Port: keeps whole what a build shortens or leaves out, where the model can read it later. `ContextStore` is one; a
/// host with files or a memory of its own may have another. Bound to one session by construction. A build asks for
/// references while it compares what to send, and stores what they are shown for at its end, all at once; where that fails,
/// none is shown. Called from several threads at once. Must not throw.
class CTXMGR_API ArtifactArchive {
 public:
  ArtifactArchive() = default;
  ArtifactArchive(const ArtifactArchive&) = delete;
  ArtifactArchive& operator=(const ArtifactArchive&) = delete;
  virtual ~ArtifactArchive();

  /// What the model has to do to read the artifact once it is stored: `get_context("artifact:9f2c…")`. Depends on the
  /// artifact alone and stores nothing: the same content gives the same text, build after build. Cheap: no I/O.
  [[nodiscard]] virtual std::string reference_of(const Artifact& artifact) const = 0;

  /// Stores the content and returns its reference.
  [[nodiscard]] virtual Result<std::string> keep(const Artifact& artifact, const CallOptions& call) = 0;

  /// Several, none of them null; the i-th result is for the i-th artifact, and one that fails does not stop the others.
  /// The default calls `keep` for each. Override it where one trip for all is cheaper.
  [[nodiscard]] virtual std::vector<Result<std::string>> keep_all(const std::vector<const Artifact*>& artifacts,
                                                                  const CallOptions& call);
};

}  // namespace ctxmgr
