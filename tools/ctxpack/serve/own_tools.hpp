#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/session/tool_set.hpp"
#include "serve/api.hpp"

/// \file
/// Tools that the proxy adds to requests and answers itself.
namespace ctxpack::serve {

/// What the proxy answers.
struct OwnTools {
  ctxmgr::ToolSet set{};
  const ctxmgr::ContextUtilizationMetadata* receipt =
      nullptr;            ///< Of the request that the model answers, once it is built.
  bool may_write = true;  ///< Whether what a model sets is kept: a conversation without a name could be another's.
};

/// Whether a request wants one answer, which may call tools.
[[nodiscard]] bool can_answer_calls(const std::string& request);

/// The agent's tools in a request; none where it has none, or a tool of the name `search_tools`.
[[nodiscard]] std::vector<ctxmgr::ToolDefinition> tools_of(Api api, const std::string& request);

/// The request with these tools behind its own. Nothing where it cannot have them: it is none, has a tool of such a name, asks
/// for several answers, or for none that calls a tool.
[[nodiscard]] std::optional<std::string> add_tools(Api api, const std::string& request,
                                                   const std::vector<ctxmgr::ToolDefinition>& tools);

/// What a model read in between.
struct Round {
  std::string request{};          ///< The one before, with the turn at its end.
  nlohmann::ordered_json turn{};  ///< The calls and their results, in the service's form.
};

/// Where an answer, whole or streamed, calls these tools: the request with those calls and their results at its end. Calls of
/// the agent's tools beside them are dropped: nothing was done yet, and the model makes them again once it has read.
/// Nothing where it calls none of these tools.
[[nodiscard]] std::optional<Round> answer_calls(Api api, const std::string& request, const std::string& answer,
                                                const OwnTools& tools, const ctxmgr::CallOptions& call);

/// The text of the list of messages or items in a request; empty where it has none. A text that stands for one becomes one.
[[nodiscard]] std::string list_of_messages(Api api, std::string_view request);

/// The request with another list of them.
[[nodiscard]] std::string with_messages(Api api, std::string_view request, std::string_view list);

}  // namespace ctxpack::serve
