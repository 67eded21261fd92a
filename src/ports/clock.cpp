#include "ctxmgr/ports/clock.hpp"

namespace ctxmgr {

Clock::~Clock() = default;

}  // namespace ctxmgr
