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

/// Whether that is needed.
bool mark_tools(Api api, ordered_json& tools, std::int64_t most_tokens) {
  std::size_t bytes = 0;
  for (const auto& tool : tools) bytes += is_deferred(tool) ? 0 : text_of(tool).size();
  if (static_cast<std::int64_t>(bytes) / bytes_of_a_token <= most_tokens) return false;
  for (auto& tool : tools) {
    if (is_of_agent(api, tool)) tool[mark] = true;
  }
  return true;
}

}  // namespace

bool has_deferred_tools(std::string_view request) {
  const auto list = value_in(request, "tools");
  if (list.find(mark) == std::string_view::npos) return false;
  const auto tools = read_json(list);
  return tools.is_array() && std::any_of(tools.begin(), tools.end(), is_deferred);
}

std::optional<std::string> defer_tools(Api api, std::string_view request, std::int64_t most_tokens) {
  const auto list = value_in(request, "tools");
  if (list.find("tool_search") == std::string_view::npos) return std::nullopt;
  auto tools = read_json(list);
  if (!tools.is_array() || std::none_of(tools.begin(), tools.end(), is_search)) return std::nullopt;
  if (!mark_tools(api, tools, most_tokens)) return std::nullopt;
  return with_value(request, "tools", text_of(tools));
}

}  // namespace ctxpack::serve
