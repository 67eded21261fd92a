// What the adapter uses of ai/types/message.h.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ai {

using JsonValue = nlohmann::json;
enum MessageRole { kMessageRoleSystem, kMessageRoleUser, kMessageRoleAssistant };

struct TextContentPart {
  std::string text;
  explicit TextContentPart(std::string t) : text(std::move(t)) {}
};

struct ToolCallContentPart {
  std::string id, tool_name;
  JsonValue arguments;
  ToolCallContentPart(std::string i, std::string n, JsonValue a)
      : id(std::move(i)), tool_name(std::move(n)), arguments(std::move(a)) {}
};

struct ToolResultContentPart {
  std::string tool_call_id;
  JsonValue result;
  bool is_error = false;
  ToolResultContentPart(std::string i, JsonValue r, bool e = false)
      : tool_call_id(std::move(i)), result(std::move(r)), is_error(e) {}
};

using ContentPart = std::variant<TextContentPart, ToolCallContentPart, ToolResultContentPart>;
using MessageContent = std::vector<ContentPart>;

struct Message {
  MessageRole role;
  MessageContent content;
  Message(MessageRole r, MessageContent c) : role(r), content(std::move(c)) {}
};
using Messages = std::vector<Message>;

}  // namespace ai
