#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

TokenCounter::~TokenCounter() = default;

}  // namespace ctxmgr
