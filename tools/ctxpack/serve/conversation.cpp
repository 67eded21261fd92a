#include "serve/conversation.hpp"

#include <algorithm>

#include "ctxmgr/core/artifact.hpp"
#include "serve/bounded_json.hpp"

namespace ctxpack::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t digits_of_a_thread = 16;

/// Of a message or a list of blocks, the words: breakpoints of a cache move from turn to turn.
void append_words(const Json& content, std::string& words) {
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

/// Whether a tool of that name is among the request's, in the form of either service.
bool offers(const Json& request, std::string_view name) {
  const auto tools = request.find("tools");
  if (tools == request.end() || !tools->is_array()) return false;
  return std::any_of(tools->begin(), tools->end(), [name](const Json& tool) {
    if (!tool.is_object()) return false;
    const auto function = tool.find("function");
    const Json& named = function != tool.end() && function->is_object() ? *function : tool;
    const auto found = named.find("name");
    return found != named.end() && found->is_string() && found->get_ref<const std::string&>() == name;
  });
}

/// Everything up to the user's first words. Of a list in the form of Responses the same: items that are no messages have no
/// role, and say nothing of where a conversation begins.
std::string beginning_of(const Json& request) {
  std::string words;
  for (const char* const field : {"system", "instructions"}) {
    if (const auto* const instructions = member(request, field)) append_words(*instructions, words);
  }
  const auto* messages = member(request, "messages");
  if (messages == nullptr) messages = member(request, "input");
  if (messages == nullptr) return {};
  if (messages->is_string()) {
    append_words(*messages, words);
    return words;
  }
  if (!messages->is_array()) return {};
  for (const auto& message : *messages) {
    if (!message.is_object()) return {};
    const auto role = string_at(message, "role");
    words += role + ":";
    if (const auto* const content = member(message, "content")) append_words(*content, words);
    if (role == "user") break;
  }
  return words;
}

/// What agents call the conversation.
std::string own_name_of(const Json& request) {
  std::string names;
  for (const char* const field : {"prompt_cache_key", "conversation"}) names += string_at(request, field) + "\n";
  if (const auto* const conversation = member(request, "conversation")) names += string_at(*conversation, "id");
  if (const auto* const metadata = member(request, "metadata")) names += "\n" + string_at(*metadata, "user_id");
  return names;
}

}  // namespace

Glance glance_at(std::string_view body, const std::string& owner) {
  const auto request = read_json(body);
  if (!request.is_object()) return {};
  Glance glance;
  glance.reads_back = offers(request, "get_context");
  glance.model = string_at(request, "model");
  const auto words = beginning_of(request);
  if (words.empty()) return glance;
  const auto document = ctxmgr::make_document({}, owner + "\n" + own_name_of(request) + "\n" + words);
  glance.thread = "t-" + ctxmgr::content_hash(document).substr(0, digits_of_a_thread);
  return glance;
}

std::string kept_name(const std::string& name, const std::string& owner) {
  return owner.empty() ? name : name + " " + owner;
}

bool is_valid_thread(std::string_view name) {
  constexpr std::size_t most_characters = 100;
  if (name.empty() || name.size() > most_characters) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace ctxpack::serve
