#pragma once
#include <string_view>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr {

/// The format that a file name's extension stands for; `automatic` where it stands for none.
[[nodiscard]] ContentFormat format_of_name(std::string_view name);

}  // namespace ctxmgr
