#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/retriever.hpp"

namespace ctxmgr::engine {

/// Numbers of the tools whose name, description or parameters have something of the query, the best first, equal ones as
/// they stand. `retriever` remembers what depends on a definition alone; the result is the same with any.
[[nodiscard]] std::vector<std::size_t> rank_tools(const std::vector<ToolDefinition>& tools, std::string_view query,
                                                  const std::vector<std::string>& hints, const Retriever& retriever);

}  // namespace ctxmgr::engine
