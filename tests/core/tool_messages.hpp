#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::testing {

inline ConversationMessage calling(const std::vector<std::string>& ids, const std::string& arguments = "{}") {
  ConversationMessage message{Role::assistant};
  for (const auto& id : ids) message.tool_calls.push_back({id, "f", arguments, ""});
  return message;
}

inline ConversationMessage result(const std::string& id, const std::string& text = "r") {
  ConversationMessage message{Role::tool, text};
  message.tool_call_id = id;
  return message;
}

}  // namespace ctxmgr::testing
