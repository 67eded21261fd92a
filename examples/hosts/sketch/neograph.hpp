// What the adapter uses of neograph/types.h, whose json has the interface of nlohmann's.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace neograph {

using json = nlohmann::json;

struct ToolCall {
  std::string id, name, arguments;
};

struct ChatMessage {
  std::string role, content;
  std::vector<ToolCall> tool_calls;
  std::string tool_call_id, tool_name, tool_status;
  bool tool_retryable = false;
  std::vector<std::string> image_urls;
  std::string reasoning;
  json reasoning_details = json::array();
};

}  // namespace neograph
