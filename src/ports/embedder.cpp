#include "ctxmgr/ports/embedder.hpp"

namespace ctxmgr {

Embedder::~Embedder() = default;

}  // namespace ctxmgr
