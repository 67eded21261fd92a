#include "serve/deferred_tools.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "serve/bounded_json.hpp"
#include "serve/json_parts.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

constexpr const char* mark = "defer_loading";
constexpr std::int64_t bytes_of_a_token = 4;

bool is_deferred(const ordered_json& tool) {
  const auto* const deferred = member(tool, mark);
  return deferred != nullptr && deferred->is_boolean() && deferred->get<bool>();
}

/// "tool_search" of OpenAI, "tool_search_tool_bm25_20251119" of Anthropic.
bool is_search(const ordered_json& tool) {
  constexpr std::string_view name = "tool_search";
  return string_at(tool, "type").compare(0, name.size(), name) == 0;
}

/// The services' own tools have no definition that could be deferred.
bool is_of_agent(Api api, const ordered_json& tool) {
  if (api == Api::responses) return string_at(tool, "type") == "function";
  return api == Api::anthropic && tool.is_object() && tool.contains("input_schema");
}

void mark_tools(Api api, ordered_json& tools, std::int64_t most_tokens) {
  std::size_t bytes = 0;
  for (const auto& tool : tools) bytes += is_deferred(tool) ? 0 : text_of(tool).size();
  if (static_cast<std::int64_t>(bytes) / bytes_of_a_token <= most_tokens) return;
  for (auto& tool : tools) {
    if (is_of_agent(api, tool)) tool[mark] = true;
  }
}

}  // namespace

std::optional<DeferredTools> take_deferred_tools(Api api, const std::string& request,
                                                 std::optional<std::int64_t> most_tokens) {
  const auto tools = value_in(request, "tools");
  if (tools.find(mark) == std::string::npos && tools.find("tool_search") == std::string::npos) return std::nullopt;
  auto parsed = read_json(request);
  if (!parsed.is_object() || !parsed.contains("tools") || !parsed["tools"].is_array()) return std::nullopt;
  DeferredTools taken{{}, std::move(parsed["tools"])};
  if (most_tokens && std::any_of(taken.all.begin(), taken.all.end(), is_search))
    mark_tools(api, taken.all, *most_tokens);
  ordered_json left = ordered_json::array();
  for (const auto& tool : taken.all) {
    if (!is_deferred(tool)) left.push_back(tool);
  }
  if (left.size() == taken.all.size()) return std::nullopt;
  parsed["tools"] = std::move(left);
  taken.rest = text_of(parsed);
  return taken;
}

std::string DeferredTools::put_back(const std::string& request) const {
  auto grown = read_json(request);
  if (!grown.is_object()) return request;
  auto tools = all;
  const auto* const sent = member(grown, "tools");
  if (sent != nullptr && sent->is_array()) {
    for (const auto& tool : *sent) {
      if (std::find(all.begin(), all.end(), tool) == all.end()) tools.push_back(tool);
    }
  }
  grown["tools"] = std::move(tools);
  return text_of(grown);
}

}  // namespace ctxpack::serve
