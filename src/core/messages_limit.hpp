#pragma once
#include <cstdint>

#include "ctxmgr/core/metadata.hpp"

namespace ctxmgr {

CTXMGR_HAS_DEPRECATED_MEMBER_BEGIN

/// Under its old name, too, which hosts still read.
inline void set_messages_limit(ContextUtilizationMetadata& receipt, std::int64_t tokens) {
  receipt.messages_limit = receipt.max_input_tokens = tokens;
}

CTXMGR_HAS_DEPRECATED_MEMBER_END

}  // namespace ctxmgr
