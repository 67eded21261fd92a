#include "core/history/server_calls.hpp"

#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "core/json/part_forms.hpp"

namespace ctxmgr {
namespace {

/// Looked at in each build: most parts are told by their text.
bool may_be_of_server(const ContentPart& part) {
  return part.kind == PartKind::other &&
         (part.json.find("_tool_use") != std::string::npos || part.json.find("_tool_result") != std::string::npos);
}

void add_words(const Json& json, std::string& words) {
  constexpr std::array<std::string_view, 6> readable{"text", "title", "url", "stdout", "stderr", "error_code"};
  for (const auto& [name, value] : json.members()) {
    if (value.is_container()) add_words(value, words);
    for (const auto field : readable) {
      if (name == field && value.is_string() && !value.empty() && value != "")
        words.append(words.empty() ? "" : "\n").append(value.string());
    }
  }
  for (const Json& element : json.elements()) add_words(element, words);
}

}  // namespace

std::vector<ServerPart> server_parts(const ConversationMessage& message) {
  std::vector<ServerPart> found;
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (message.role != Role::assistant || parts == nullptr) return found;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    if (!may_be_of_server((*parts)[i])) continue;
    const auto json = parse_json((*parts)[i].json);
    if (!json) continue;
    const auto type = forms::type_of(*json);
    const bool is_call = forms::ends_with(type, "_tool_use");
    if (!is_call && !forms::ends_with(type, "_tool_result")) continue;
    const std::string* const id = get_string(*json, is_call ? "id" : "tool_use_id");
    const std::string* const name = get_string(*json, "name");
    if (id != nullptr) found.push_back({i, *id, name != nullptr ? *name : type, !is_call});
  }
  return found;
}

std::string words_of_server_result(const ContentPart& result) {
  std::string words;
  if (const auto json = parse_json(result.json))
    add_words((*json)["content"].is_container() ? (*json)["content"] : *json, words);
  return words;
}

std::vector<std::size_t> ServerCalls::lost_results(const ConversationMessage& message) const {
  std::vector<std::size_t> lost;
  std::set<std::string> called;
  for (const auto& part : server_parts(message)) {
    if (!part.is_result) {
      called.insert(part.id);
    } else if (called.count(part.id) == 0 && open_.count(part.id) == 0) {
      lost.push_back(part.part);
    }
  }
  return lost;
}

void ServerCalls::read(const ConversationMessage& message, std::size_t number) {
  for (auto& part : server_parts(message)) {
    if (part.is_result) {
      open_.erase(part.id);
    } else {
      open_[part.id] = {number, part.part, std::move(part.tool)};
    }
  }
}

}  // namespace ctxmgr
