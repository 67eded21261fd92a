#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/json/json.hpp"

namespace ctxmgr::testing {

/// Says what OpenAI's Responses would refuse of an input; empty: nothing. The rules are those of the service's types and
/// its documented errors, not those of the code under test.
class ResponsesRules {
 public:
  /// `open_at_end`: whether the last calls may be without outputs.
  static std::string offence_in(const Json& request, bool open_at_end = false) {
    ResponsesRules rules;
    rules.is_continued_ = request.contains("previous_response_id");
    rules.check(request);
    if (!open_at_end) {
      for (const auto& [id, place] : rules.open_) rules.offend(place + ": no output for the call " + id);
    }
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
  static bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  }

  void check(const Json& request) {
    for (const char* const ours : {"attachments", "steps"}) {
      if (request.contains(ours)) offend("a field that the service does not know");
    }
    const Json& input = request["input"];
    if (input.is_string()) {
      if (input.string().empty()) offend("an empty input");
      return;
    }
    if (!input.is_array() || input.empty()) return offend("no items");
    for (std::size_t i = 0; i < input.size(); ++i) {
      const auto place = "item " + std::to_string(i);
      check_item(input[i], place);
      if (text_of(input[i], "type") == "compaction_trigger" && i + 1 < input.size())
        offend(place + ": a trigger that is not the last item");
      if (text_of(input[i], "type") == "reasoning") check_follower(input, i, place);
    }
  }

  /// Thoughts need what they led to: words of the model, a call, further thoughts.
  void check_follower(const Json& input, std::size_t i, const std::string& place) {
    if (i + 1 == input.size()) return offend(place + ": thoughts without what followed them");
    const auto type = text_of(input[i + 1], "type");
    const auto role = text_of(input[i + 1], "role");
    if (ends_with(type, "_output") || type == "mcp_approval_response" || (!role.empty() && role != "assistant"))
      offend(place + ": thoughts without what followed them");
  }

  void check_item(const Json& item, const std::string& place) {
    if (!item.is_object()) return offend(place + " is no object");
    const auto type = text_of(item, "type");
    if (type.empty() || type == "message") {
      if (type.empty() && !item.contains("role")) {
        if (text_of(item, "id").empty()) offend(place + " is neither a message nor a reference");
        return;
      }
      return check_message(item, place);
    }
    const auto id = text_of(item, "call_id");
    if (type == "program") programs_.insert(id);
    if (type == "program_output" && programs_.erase(id) == 0) offend(place + ": no program for the output " + id);
    if (const Json* const caller = find_field(item, "caller"); caller != nullptr && caller->is_object()) {
      if (text_of(*caller, "type") == "program" && programs_.count(text_of(*caller, "caller_id")) == 0)
        offend(place + " was called by a program that is not running");
    }
    if (ends_with(type, "_call_output") || (type == "tool_search_output" && !id.empty())) {
      const auto answered = open_.find(id);
      if (answered == open_.end() && !is_continued_) offend(place + ": no call for the output with call_id " + id);
      if (answered != open_.end()) open_.erase(answered);
      const char* const output = type == "tool_search_output" ? "tools" : "output";
      if (!item.contains(output)) return offend(place + " has no output");
      if (type == "function_call_output") check_output(item["output"], place);
      return;
    }
    if (ends_with(type, "_call") && !id.empty()) {
      if (!seen_.insert(id).second) offend(place + " repeats the call_id " + id);
      open_.emplace(id, place);
    }
    if (type == "function_call" && (id.empty() || text_of(item, "name").empty() || !item["arguments"].is_string()))
      offend(place + ": a call without call_id, name or arguments");
    if (type == "mcp_approval_request") approvals_.insert(text_of(item, "id"));
    if (type == "mcp_approval_response" && approvals_.count(text_of(item, "approval_request_id")) == 0 &&
        !is_continued_)
      offend(place + " answers no request for approval");
    if (type == "compaction" && text_of(item, "encrypted_content").empty()) offend(place + " has no encrypted_content");
    if (type == "ctxmgr_call" || type == "text" || type == "tool_use") offend(place + " has the type " + type);
  }

  void check_output(const Json& output, const std::string& place) {
    if (output.is_string()) return;
    if (!output.is_array()) return offend(place + " has an output that is neither text nor a list");
    for (const Json& part : output) {
      const auto type = text_of(part, "type");
      if (type != "input_text" && type != "input_image" && type != "input_file")
        offend(place + " has an output with a part of type " + type);
    }
  }

  void check_message(const Json& item, const std::string& place) {
    const auto role = text_of(item, "role");
    if (role != "user" && role != "assistant" && role != "system" && role != "developer")
      offend(place + " has the role " + role);
    const auto content = item.find("content");
    if (content == nullptr) return offend(place + " has no content");
    if (content->is_string()) return;
    if (!content->is_array() || content->empty()) return offend(place + " has content that is no list of parts");
    for (const Json& part : *content) {
      const auto type = text_of(part, "type");
      const bool is_output = type == "output_text" || type == "refusal" || type == "summary_text";
      const bool is_input = type == "input_text" || type == "input_image" || type == "input_file" ||
                            type == "input_audio" || type == "computer_screenshot";
      if (role == "assistant" ? !is_output && type != "input_text" : !is_input)
        offend(place + " has a part of type " + type + " in a message of the " + role);
    }
  }

  std::string offence_;
  std::map<std::string, std::string> open_;
  std::set<std::string> seen_;
  std::set<std::string> approvals_;
  std::set<std::string> programs_;
  bool is_continued_ = false;
};

}  // namespace ctxmgr::testing
