#include "ctxmgr/ports/artifact_archive.hpp"

namespace ctxmgr {

ArtifactArchive::~ArtifactArchive() = default;

std::vector<Result<std::string>> ArtifactArchive::keep_all(const std::vector<const Artifact*>& artifacts,
                                                           const CallOptions& call) {
  std::vector<Result<std::string>> references;
  references.reserve(artifacts.size());
  for (const auto* artifact : artifacts) references.push_back(keep(*artifact, call));
  return references;
}

}  // namespace ctxmgr
