#pragma once
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr::testing {

/// Says what Anthropic's Messages would refuse of a request; empty: nothing. The rules are those of the service's
/// documentation ("Messages", "Tool use", "Prompt caching"), not those of the code under test.
class AnthropicRules {
 public:
  static std::string offence_in(const Json& request) {
    AnthropicRules rules;
    rules.check(request);
    return rules.offence_;
  }

 private:
  using Ids = std::multiset<std::string>;

  void offend(const std::string& what) {
    if (offence_.empty()) offence_ = what;
  }

  static std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  }

  void check(const Json& request) {
    if (request.contains("attachments") || request.contains("steps")) offend("a field that the service does not know");
    if (request.contains("system")) check_content(request["system"], "system");
    const Json& messages = request.at("messages");
    if (messages.empty()) offend("no messages");
    Ids open;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto place = "message " + std::to_string(i);
      const auto role = text_of(messages[i], "role");
      if (i == 0 && role != "user") offend("the first message is not the user's");
      if (role != "user" && role != "assistant" && role != "system") offend(place + " has the role " + role);
      check_content(messages[i].at("content"), place);
      const auto results = results_of(messages[i].at("content"), place);
      if (results != open) offend(place + " does not answer the calls before it, all of them and no others");
      if (role != "user" && !results.empty()) offend(place + " has results and is not the user's");
      open = calls_of(messages[i].at("content"), role, place);
    }
    if (!open.empty()) offend("the last message leaves calls without results");
    if (count_breakpoints(request) > 4) offend("more than four breakpoints of the cache");
  }

  void check_content(const Json& content, const std::string& place) {
    if (content.is_string()) {
      if (content.get_ref<const std::string&>().empty()) offend(place + " is empty");
      return;
    }
    if (content.empty()) offend(place + " is empty");
    for (const Json& block : content) {
      const auto type = text_of(block, "type");
      if (type.empty()) offend(place + " has a block without a type");
      if (type == "text" && text_of(block, "text").empty()) offend(place + " has an empty text block");
      if (type == "ctxmgr_call" || type == "image_url") offend(place + " has a block of type " + type);
      if ((type == "thinking" || type == "redacted_thinking") && block.contains("cache_control"))
        offend(place + " has a breakpoint at a thought");
    }
  }

  Ids results_of(const Json& content, const std::string& place) {
    Ids ids;
    bool is_over = false;
    if (!content.is_array()) return ids;
    for (const Json& block : content) {
      if (text_of(block, "type") != "tool_result") {
        is_over = true;
        continue;
      }
      if (is_over) offend(place + " has results after other content");
      ids.insert(text_of(block, "tool_use_id"));
    }
    return ids;
  }

  Ids calls_of(const Json& content, const std::string& role, const std::string& place) {
    Ids ids;
    if (!content.is_array()) return ids;
    for (const Json& block : content) {
      if (text_of(block, "type") != "tool_use") continue;
      if (role != "assistant") offend(place + " has a call and is not the assistant's");
      if (!block.at("input").is_object()) offend(place + " has a call whose input is no object");
      if (!seen_.insert(text_of(block, "id")).second) offend(place + " repeats the id of a call");
      ids.insert(text_of(block, "id"));
    }
    return ids;
  }

  static int count_breakpoints(const Json& json) {
    int count = json.is_object() && json.contains("cache_control") ? 1 : 0;
    if (json.is_structured()) {
      for (const Json& member : json) count += count_breakpoints(member);
    }
    return count;
  }

  std::string offence_;
  std::set<std::string> seen_;
};

}  // namespace ctxmgr::testing
