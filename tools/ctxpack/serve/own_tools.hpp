#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/session/context_tools.hpp"
#include "serve/api.hpp"

/// \file
/// Tools that the proxy adds to requests and answers itself.
namespace ctxpack::serve {

/// The request with these tools behind its own. Nothing where it cannot have them: it is none, has a tool of such a name, or
/// asks for several answers.
[[nodiscard]] std::optional<std::string> add_tools(Api api, const std::string& request,
                                                   const std::vector<ctxmgr::ToolDefinition>& tools);

/// Where an answer, whole or streamed, calls these tools: the request with those calls and their results at its end. Calls of
/// the agent's tools beside them are dropped: nothing was done yet, and the model makes them again once it has read.
/// Nothing where it calls none of these tools.
[[nodiscard]] std::optional<std::string> answer_calls(Api api, const std::string& request, const std::string& answer,
                                                      const ctxmgr::ContextTools& tools,
                                                      const ctxmgr::CallOptions& call);

}  // namespace ctxpack::serve
