#include "ctxmgr/ports/artifact_archive.hpp"

namespace ctxmgr {

ArtifactArchive::~ArtifactArchive() = default;

}  // namespace ctxmgr
