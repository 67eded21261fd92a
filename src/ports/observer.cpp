#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

Observer::~Observer() = default;

}  // namespace ctxmgr
