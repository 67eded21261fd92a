#include "ctxmgr/core/plan.hpp"

#include "core/enum_names.hpp"

namespace ctxmgr {

std::string_view to_string(ProcessingStrategy strategy) { return enum_name(strategy); }

}  // namespace ctxmgr
