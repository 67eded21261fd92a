#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// Port: keeps texts whole that a build shortens or leaves out, so that the model can read them later. `ContextStore` is one; a
/// host with files or a memory of its own may have another. An object serves one session. A build asks for references
/// while it chooses. At its end it stores, all at once, the artifacts whose references it shows. If storing fails, it shows no
/// reference. Called from several threads at once. Must not throw.
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

  /// Stores several; no pointer is null. The i-th result is for the i-th artifact, and one that fails stops no other.
  /// The default calls `keep` for each. Override it where one trip for all is cheaper.
  [[nodiscard]] virtual std::vector<Result<std::string>> keep_all(const std::vector<const Artifact*>& artifacts,
                                                                  const CallOptions& call);
};

}  // namespace ctxmgr
