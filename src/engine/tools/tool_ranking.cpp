#include "engine/tools/tool_ranking.hpp"

#include <algorithm>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr::engine {
namespace {

Artifact artifact_of_tool(const ToolDefinition& tool) {
  Artifact artifact;
  artifact.content = tool.description + "\n" + tool.parameters_json;
  artifact.content_format = ContentFormat::text;
  artifact.metadata["title"] = tool.name;
  return artifact;
}

}  // namespace

std::vector<std::size_t> rank_tools(const std::vector<ToolDefinition>& tools, std::string_view query,
                                    const std::vector<std::string>& hints, const Retriever& retriever) {
  std::vector<Artifact> artifacts;
  for (const ToolDefinition& tool : tools) artifacts.push_back(artifact_of_tool(tool));
  const auto ranked = retriever.rank(artifacts, query, hints, 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    if (ranked[i].relevance > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&ranked](auto a, auto b) { return ranked[a].relevance > ranked[b].relevance; });
  return order;
}

}  // namespace ctxmgr::engine
