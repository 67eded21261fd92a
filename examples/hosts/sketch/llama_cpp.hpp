// What the adapter uses of llama.cpp's common/chat.h.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

struct common_chat_tool_call {
  std::string name, arguments, id;
  bool operator==(const common_chat_tool_call& b) const {
    return name == b.name && arguments == b.arguments && id == b.id;
  }
};

struct common_chat_msg_content_part {
  std::string type, text;
  bool operator==(const common_chat_msg_content_part& b) const { return type == b.type && text == b.text; }
};

struct common_chat_msg {
  std::string role, content;
  std::vector<common_chat_msg_content_part> content_parts;
  std::vector<common_chat_tool_call> tool_calls;
  std::string reasoning_content, tool_name, tool_call_id;
  bool operator==(const common_chat_msg& b) const {
    return role == b.role && content == b.content && content_parts == b.content_parts && tool_calls == b.tool_calls &&
           reasoning_content == b.reasoning_content && tool_name == b.tool_name && tool_call_id == b.tool_call_id;
  }
};
