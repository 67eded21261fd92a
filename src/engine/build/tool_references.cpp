#include "engine/build/tool_references.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "core/json/part_forms.hpp"

namespace ctxmgr::engine {
namespace {

constexpr const char* reference = "tool_reference";
constexpr const char* output = "tool_search_output";

void add_referred(const Json& json, std::vector<std::string>& names) {
  const std::string* const referred = get_string(json, "tool_name");
  if (forms::type_of(json) == reference && referred != nullptr) names.push_back(*referred);
  for (const Json& member : json) add_referred(member, names);
}

void add_found(const Json& json, std::vector<std::string>& names) {
  if (forms::type_of(json) == output) {
    for (const Json& tool : json["tools"])
      if (const std::string* const name = get_string(tool, "name")) names.push_back(*name);
  }
  for (const Json& member : json) add_found(member, names);
}

/// Of a message's parts that are no text and have such a type in them.
template <class Add>
void add_from_parts(const ConversationMessage& message, const char* type, Add add, std::vector<std::string>& names) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return;
  for (const ContentPart& part : *parts) {
    if (part.kind != PartKind::other || part.json.find(type) == std::string::npos) continue;
    if (const auto json = parse_json(part.json)) add(*json, names);
  }
}

/// Tools that a message loads.
std::vector<std::string> loaded_by(const ConversationMessage& message) {
  auto names = tools_referred_to(message);
  add_from_parts(message, output, add_found, names);
  return names;
}

}  // namespace

std::vector<std::string> tools_referred_to(const ConversationMessage& message) {
  std::vector<std::string> names;
  add_from_parts(message, reference, add_referred, names);
  return names;
}

std::vector<std::size_t> groups_that_load_tools(const std::vector<ConversationMessage>& history,
                                                const ThreadAnalysis& thread, const SuffixPlanner& suffixes,
                                                std::size_t cut, std::int64_t most, std::size_t count) {
  std::set<std::string> wanted;
  std::set<std::string> settled;  // Loaded by a newer message, or called behind this one and not behind the cut.
  for (auto i = cut; i < history.size(); ++i)
    for (const ToolCall& call : history[i].tool_calls) wanted.insert(call.name);
  for (auto i = cut; i < history.size(); ++i)
    for (auto& name : loaded_by(history[i])) settled.insert(std::move(name));
  std::vector<std::size_t> kept;
  for (auto i = std::min(cut, history.size()); i-- > 0 && kept.size() < count;) {
    bool loads = false;
    for (const auto& name : loaded_by(history[i])) loads = settled.insert(name).second || loads;
    for (const ToolCall& call : history[i].tool_calls)
      if (wanted.count(call.name) == 0) settled.insert(call.name);
    const auto g = thread.group_of(i);
    const auto& group = thread.groups()[g];
    const bool is_kept = suffixes.is_fixed(g) || std::find(kept.begin(), kept.end(), group.first) != kept.end();
    if (!loads || is_kept || group.tokens > most) continue;
    most -= group.tokens;
    kept.push_back(group.first);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace ctxmgr::engine
