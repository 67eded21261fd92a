#include "engine/tools/tool_ranking.hpp"

#include <algorithm>

#include "engine/index/text_index.hpp"
#include "engine/selection/selection_internal.hpp"

namespace ctxmgr::engine {

std::vector<std::size_t> rank_tools(const std::vector<ToolDefinition>& tools, std::string_view query,
                                    const std::vector<std::string>& hints) {
  std::vector<std::string> texts;
  for (const ToolDefinition& tool : tools) texts.push_back(tool.description + "\n" + tool.parameters_json);
  TextIndex index;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    ItemText item;
    item.text = texts[i];
    item.title = tools[i].name;
    item.format = ContentFormat::text;
    index.append(item);
  }
  const auto text = [&texts](std::size_t i) -> std::string_view { return texts[i]; };
  const std::vector<RankedArtifact> ranked = rank({{&index, 0, tools.size(), text, {}}}, query, hints, 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    if (ranked[i].relevance > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&ranked](auto a, auto b) { return ranked[a].relevance > ranked[b].relevance; });
  return order;
}

}  // namespace ctxmgr::engine
