#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.hpp"

/// Whether a request may be sent, found without the code under test.
namespace ctxmgr::mutations {

/// Every string that is sent and read by a model, one after the other. What says who asks, ids and the words of the format
/// itself are not read.
inline void collect_strings(std::string_view key, const Json& json, std::string& all) {
  constexpr std::array<std::string_view, 12> unread{"model",        "user",        "metadata",      "id",
                                                    "tool_call_id", "tool_use_id", "role",          "type",
                                                    "call_id",      "status",      "cache_control", "detail"};
  if (std::find(unread.begin(), unread.end(), key) != unread.end() && !json.is_container()) return;
  if (key == "metadata" || key == "cache_control") return;
  if (json.is_string()) all += json.string();
  if (json.is_array()) {
    for (const Json& element : json) collect_strings(key, element, all);
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.members()) collect_strings(name, value, all);
  }
}

/// Four bytes are a token: what every manager here is told to count by, so that the judge needs none of the library's counters.
inline std::int64_t count_plainly(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }

inline std::int64_t least_tokens(const Json& request) {
  std::string all;
  collect_strings({}, request, all);
  return count_plainly(all);
}

/// What of a text is compared: letters and digits of ASCII. Doors mend other bytes.
inline std::string plain_letters(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter) plain += c;
  }
  return plain;
}

inline std::string id_in(const Json& object, const char* key) {
  const std::string* const id = get_string(object, key);
  return id == nullptr ? std::string() : *id;
}

/// Texts of the last message of the user's role that has any, in whichever form the request is. Read from the request as it is
/// sent to the door, by nothing that the engine knows of speakers.
inline std::vector<std::string> last_user_texts(const Json& request) {
  const Json* list = request.find("messages");
  if (list == nullptr) list = request.find("input");
  if (list != nullptr && list->is_string()) return {list->string()};
  std::vector<std::string> last;
  if (list == nullptr || !list->is_array()) return last;
  for (const Json& message : *list) {
    if (!message.is_object() || id_in(message, "role") != "user") continue;
    std::vector<std::string> texts;
    const Json* const content = message.find("content");
    if (content != nullptr && content->is_string()) texts.push_back(content->string());
    if (content != nullptr && content->is_array()) {
      for (const Json& part : *content)
        if (part.is_object() && id_in(part, "type").find("tool") == std::string::npos)
          texts.push_back(id_in(part, "text"));
    }
    texts.erase(std::remove_if(texts.begin(), texts.end(), [](const auto& text) { return text.empty(); }), texts.end());
    if (!texts.empty()) last = std::move(texts);
  }
  return last;
}

/// Groups of a list of chat messages: "" where none is torn. Calls at the very end may all be open.
inline std::string torn_chat(const Json& messages) {
  std::multiset<std::string> open;
  bool answered = false;
  for (const Json& message : messages) {
    if (id_in(message, "role") == "tool") {
      const auto found = open.find(id_in(message, "tool_call_id"));
      if (found == open.end()) return "a result without its call";
      open.erase(found);
      answered = true;
      continue;
    }
    if (!open.empty()) return "a call without its result";
    answered = false;
    const Json* const calls = message.find("tool_calls");
    if (calls == nullptr || !calls->is_array()) continue;
    for (const Json& call : *calls) open.insert(id_in(call, "id"));
  }
  return open.empty() || !answered ? "" : "calls that are answered in part, at the end";
}

inline std::string torn_anthropic(const Json& messages) {
  std::multiset<std::string> open;
  for (std::size_t i = 0; i < messages.size();) {
    const auto role = id_in(messages[i], "role");
    std::multiset<std::string> called;
    std::multiset<std::string> results;
    for (; i < messages.size() && id_in(messages[i], "role") == role; ++i) {
      if (!messages[i]["content"].is_array()) continue;
      for (const Json& block : messages[i]["content"]) {
        if (id_in(block, "type") == "tool_use" && role != "assistant")
          return "";  // It came so, and is refused in any case.
        if (id_in(block, "type") == "tool_use") called.insert(id_in(block, "id"));
        if (id_in(block, "type") == "tool_result") results.insert(id_in(block, "tool_use_id"));
      }
    }
    if (role == "system") continue;
    if (results != open) return "calls and results do not match";
    open = called;
  }
  return "";
}

inline std::string torn_responses(const Json& items) {
  std::set<std::string> open;
  std::set<std::string> seen;
  if (!items.is_array()) return "";
  for (const Json& item : items) {
    const auto type = id_in(item, "type");
    if (type == "function_call") {
      if (!seen.insert(id_in(item, "call_id")).second) return "an id twice";
      open.insert(id_in(item, "call_id"));
    }
    if (type == "function_call_output" && open.erase(id_in(item, "call_id")) == 0) return "an output without its call";
  }
  bool may_wait = true;  // What the model puts out after a call is of the same turn.
  for (std::size_t i = items.size(); i-- > 0 && may_wait;) {
    if (id_in(items[i], "type") == "function_call") break;
    may_wait = id_in(items[i], "role") == "assistant";
  }
  return open.empty() || may_wait ? "" : "a call without its output";
}

}  // namespace ctxmgr::mutations
