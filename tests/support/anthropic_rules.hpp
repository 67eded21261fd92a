#pragma once
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr::testing {

/// Says what Anthropic's Messages would refuse of a request; empty: nothing. The rules are those of the service's
/// documentation ("Messages", "Tool use", "Server tools", "Prompt caching"), not those of the code under test.
class AnthropicRules {
 public:
  /// `open_at_end`: whether the last calls may be without results, as before an agent answers them.
  static std::string offence_in(const Json& request, bool open_at_end = false) {
    AnthropicRules rules;
    rules.check(request, open_at_end);
    return rules.offence_;
  }

 private:
  using Ids = std::multiset<std::string>;

  /// Neighbours of one role, which the service takes as one.
  struct Turn {
    std::string role;
    std::string place;
    std::vector<const Json*> contents;
  };

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

  void check(const Json& request, bool open_at_end) {
    if (request.contains("attachments") || request.contains("steps")) offend("a field that the service does not know");
    if (request.contains("system")) check_content(request["system"], "system");
    const Json& messages = request["messages"];
    if (messages.empty()) return offend("no messages");
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto place = "message " + std::to_string(i);
      const auto role = text_of(messages[i], "role");
      if (role != "user" && role != "assistant" && role != "system") offend(place + " has the role " + role);
      check_content(messages[i]["content"], place);
      if (turns.empty() || turns.back().role != role) turns.push_back({role, place, {}});
      turns.back().contents.push_back(&messages[i]["content"]);
      if (role == "system" && turns.back().contents.size() > 1) offend(place + ": two instructions in a row");
    }
    if (turns.front().role != "user") offend("the first message is not the user's");
    check_turns(turns, open_at_end);
    if (count_breakpoints(request) > 4) offend("more than four breakpoints of the cache");
  }

  void check_turns(const std::vector<Turn>& turns, bool open_at_end) {
    Ids open;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Turn& turn = turns[i];
      if (turn.role == "system" && (i + 1 < turns.size() && turns[i + 1].role != "assistant"))
        offend(turn.place + ": instructions that stand neither last nor before the assistant");
      const auto results = results_of(turn);
      if (results != open) offend(turn.place + " does not answer the calls before it, all of them and no others");
      if (turn.role != "user" && !results.empty()) offend(turn.place + " has results and is not the user's");
      const bool is_last = i + 1 == turns.size();
      open = calls_of(turn);
      check_server_tools(turn, is_last);
    }
    if (!open.empty() && !open_at_end) offend("the last message leaves calls without results");
  }

  void check_content(const Json& content, const std::string& place) {
    if (content.is_string()) {
      if (content.string().empty()) offend(place + " is empty");
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
      if (type == "thinking" && (!block.contains("signature") || !block.contains("thinking")))
        offend(place + " has a thought without its signature");
    }
  }

  Ids results_of(const Turn& turn) {
    Ids ids;
    bool is_over = false;
    for (const Json* const content : turn.contents) {
      if (!content->is_array()) {
        is_over = true;
        continue;
      }
      for (const Json& block : *content) {
        if (text_of(block, "type") != "tool_result") {
          is_over = true;
          continue;
        }
        if (is_over) offend(turn.place + " has results after other content");
        ids.insert(text_of(block, "tool_use_id"));
      }
    }
    return ids;
  }

  Ids calls_of(const Turn& turn) {
    Ids ids;
    for (const Json* const content : turn.contents) {
      if (!content->is_array()) continue;
      for (const Json& block : *content) {
        if (text_of(block, "type") != "tool_use") continue;
        const auto id = text_of(block, "id");
        if (turn.role != "assistant") offend(turn.place + " has a call and is not the assistant's");
        if (!block["input"].is_object()) offend(turn.place + " has a call whose input is no object");
        if (!seen_.insert(id).second) offend(turn.place + " repeats the id of a call");
        const bool is_plain = !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        });
        if (!is_plain) offend(turn.place + " has a call with an id that is no word");
        ids.insert(id);
      }
    }
    return ids;
  }

  /// The service's own tools: call and result in one turn of the assistant; only at the end may a result be missing.
  void check_server_tools(const Turn& turn, bool is_last) {
    Ids open;
    for (const Json* const content : turn.contents) {
      if (!content->is_array()) continue;
      for (const Json& block : *content) {
        const auto type = text_of(block, "type");
        if (type == "server_tool_use" || type == "mcp_tool_use") open.insert(text_of(block, "id"));
        if (!ends_with(type, "_tool_result")) continue;
        const auto call = open.find(text_of(block, "tool_use_id"));
        if (call == open.end()) return offend(turn.place + " has a result of the service's tool without its call");
        open.erase(call);
      }
    }
    if (!open.empty() && !is_last) offend(turn.place + " has a call of the service's tool without its result");
  }

  static int count_breakpoints(const Json& json) {
    int count = json.is_object() && json.contains("cache_control") ? 1 : 0;
    if (json.is_container()) {
      for (const Json& member : json) count += count_breakpoints(member);
    }
    return count;
  }

  std::string offence_;
  std::set<std::string> seen_;
};

}  // namespace ctxmgr::testing
