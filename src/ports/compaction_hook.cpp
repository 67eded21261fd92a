#include "ctxmgr/ports/compaction_hook.hpp"

namespace ctxmgr {

CompactionHook::~CompactionHook() = default;

std::vector<std::size_t> CompactionHook::before_compaction(const CompactionEvent& /*event*/) { return {}; }

std::string CompactionHook::after_compaction(const CompactionEvent& /*event*/) { return {}; }

}  // namespace ctxmgr
