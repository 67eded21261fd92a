#pragma once
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "core/json/json.hpp"

namespace ctxmgr::testing {

/// Says what OpenAI's Chat Completions would refuse of a list of messages; empty: nothing. The rules are those of the
/// service's types and its documented errors, not those of the code under test.
class OpenAiRules {
 public:
  /// `open_at_end`: whether the last calls may be without results.
  static std::string offence_in(const Json& request, bool open_at_end = false) {
    OpenAiRules rules;
    rules.check(request);
    if (!open_at_end && !rules.open_.empty()) rules.offend("the last calls have no results");
    if (!open_at_end && !rules.open_function_.empty()) rules.offend("the last function call has no result");
    return rules.offence_;
  }

 private:
  void offend(const std::string& what) {
    if (offence_.empty()) offence_ = what;
  }

  static std::string text_of(const Json& object, const char* key) {
    const std::string* const found = get_string(object, key);
    return found != nullptr ? *found : std::string();
  }
  static bool has(const Json& object, const char* key) { return find_field(object, key) != nullptr; }

  void check(const Json& request) {
    for (const char* const ours : {"attachments", "steps"}) {
      if (request.contains(ours)) offend("a field that the service does not know");
    }
    const Json& messages = request["messages"];
    if (messages.empty()) offend("no messages");
    for (std::size_t i = 0; i < messages.size(); ++i) check_message(messages[i], "message " + std::to_string(i));
  }

  void check_message(const Json& message, const std::string& place) {
    const auto role = text_of(message, "role");
    for (const char* const ours : {"reasoning_steps", "reasoning_events", "sequence_number", "retention"}) {
      if (message.contains(ours)) offend(place + " has a field that the service does not know");
    }
    if (role == "tool") return check_result(message, place);
    if (role == "function") return check_function(message, place);
    if (!open_.empty()) offend(place + " stands before the results of the calls before it");
    if (!open_function_.empty()) offend(place + " stands before the result of the function call before it");
    if (role == "assistant") return check_assistant(message, place);
    if (role == "user") {
      return check_content(message, place, {"text", "image_url", "input_audio", "file"}, true);
    }
    if (role != "system" && role != "developer") offend(place + " has the role " + role);
    check_content(message, place, {"text", "", "", ""}, true);
  }

  void check_result(const Json& message, const std::string& place) {
    check_content(message, place, {"text", "image_url", "file", "input_audio"}, true);  // Some services take images.
    const auto id = text_of(message, "tool_call_id");
    if (id.empty()) offend(place + " has no tool_call_id");
    if (open_.erase(id) == 0) offend(place + " answers no call before it");
  }

  void check_function(const Json& message, const std::string& place) {
    if (open_function_.empty() || text_of(message, "name") != open_function_)
      offend(place + " answers no function call");
    open_function_.clear();
  }

  void check_assistant(const Json& message, const std::string& place) {
    const bool calls = has(message, "tool_calls");
    const bool says_something =
        calls || has(message, "function_call") || has(message, "refusal") || has(message, "audio");
    check_content(message, place, {"text", "refusal", "thinking", "reasoning"}, !says_something);
    if (calls) {
      if (message["tool_calls"].empty()) offend(place + " has an empty list of calls");
      for (const Json& call : message["tool_calls"]) check_call(call, place);
    }
    if (!has(message, "function_call")) return;
    open_function_ = text_of(message["function_call"], "name");
    if (!message["function_call"]["arguments"].is_string()) offend(place + ": arguments are no string");
  }

  void check_call(const Json& call, const std::string& place) {
    const auto id = text_of(call, "id");
    if (id.empty()) offend(place + " has a call without an id");
    if (!open_.insert(id).second) offend(place + " repeats the id of a call");
    const auto type = text_of(call, "type");
    if (type == "custom") {
      if (!call.contains("custom") || !call["custom"]["input"].is_string())
        offend(place + ": a custom call without its input");
      return;
    }
    if (type != "function") offend(place + " has a call of type " + type);
    if (!call.contains("function") || text_of(call["function"], "name").empty())
      return offend(place + ": a call without a name");
    if (!call["function"]["arguments"].is_string()) offend(place + ": arguments are no string");
  }

  void check_content(const Json& message, const std::string& place, const std::array<std::string_view, 4>& types,
                     bool required) {
    const auto content = message.find("content");
    if (content == nullptr || content->is_null()) {
      if (required) offend(place + " has no content");
      return;
    }
    if (content->is_string()) return;
    if (!content->is_array() || content->empty()) return offend(place + " has content that is no list of parts");
    for (const Json& part : *content) {
      const auto type = text_of(part, "type");
      bool is_known = false;
      for (const auto known : types) is_known |= !type.empty() && known == type;
      if (!is_known) offend(place + " has a part of type " + type);
      if (type == "text" && !part["text"].is_string()) offend(place + " has a text part without text");
    }
  }

  std::string offence_;
  std::set<std::string> open_;
  std::string open_function_;
};

}  // namespace ctxmgr::testing
