#include "serve/conversation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ctxmgr/core/artifact.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::json;

constexpr std::size_t digits_of_a_thread = 16;

/// Of a message or a list of blocks, the words: breakpoints of a cache move from turn to turn.
void append_words(const json& content, std::string& words) {
  if (content.is_string()) {
    words += content.get_ref<const std::string&>();
  } else if (content.is_array()) {
    for (const auto& part : content) {
      const auto text = part.is_object() ? part.find("text") : part.end();
      if (part.is_object() && text != part.end() && text->is_string()) words += text->get_ref<const std::string&>();
    }
  }
  words += '\n';
}

std::string role_of(const json& message) {
  const auto role = message.find("role");
  return role != message.end() && role->is_string() ? role->get<std::string>() : std::string();
}

/// Whether a tool of that name is among the request's, in the form of either service.
bool offers(const json& request, std::string_view name) {
  const auto tools = request.find("tools");
  if (tools == request.end() || !tools->is_array()) return false;
  return std::any_of(tools->begin(), tools->end(), [name](const json& tool) {
    if (!tool.is_object()) return false;
    const auto function = tool.find("function");
    const json& named = function != tool.end() && function->is_object() ? *function : tool;
    const auto found = named.find("name");
    return found != named.end() && found->is_string() && found->get_ref<const std::string&>() == name;
  });
}

/// Everything up to the user's first words.
std::string beginning_of(const json& request) {
  std::string words;
  if (const auto system = request.find("system"); system != request.end()) append_words(*system, words);
  const auto messages = request.find("messages");
  if (messages == request.end() || !messages->is_array()) return {};
  for (const auto& message : *messages) {
    if (!message.is_object()) return {};
    words += role_of(message) + ":";
    if (const auto content = message.find("content"); content != message.end()) append_words(*content, words);
    if (role_of(message) == "user") break;
  }
  return words;
}

}  // namespace

Glance glance_at(std::string_view body) {
  const auto request = json::parse(body, nullptr, false);
  if (!request.is_object()) return {};
  Glance glance;
  glance.reads_back = offers(request, "get_context");
  if (const auto model = request.find("model"); model != request.end() && model->is_string())
    glance.model = model->get<std::string>();
  const auto words = beginning_of(request);
  if (!words.empty())
    glance.thread = "t-" + ctxmgr::content_hash(ctxmgr::make_document({}, words)).substr(0, digits_of_a_thread);
  return glance;
}

bool is_valid_thread(std::string_view name) {
  constexpr std::size_t most_characters = 100;
  if (name.empty() || name.size() > most_characters) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace ctxpack::serve
