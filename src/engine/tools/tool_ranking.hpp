#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// Numbers of the tools whose name, description or parameters have something of the query, the best first, equal ones as
/// they stand. Pure.
[[nodiscard]] std::vector<std::size_t> rank_tools(const std::vector<ToolDefinition>& tools, std::string_view query,
                                                  const std::vector<std::string>& hints);

}  // namespace ctxmgr::engine
