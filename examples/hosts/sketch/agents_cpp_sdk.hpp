// What the adapter uses of agents-cpp/types.h.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace agents {

using JsonObject = nlohmann::json;

struct ToolCall {
  std::string id, name;
  JsonObject arguments;
  std::string signature;
};

struct Message {
  enum class Role { SYSTEM, USER, ASSISTANT, TOOL };
  Role role;
  std::string content;
  std::optional<std::string> name, tool_call_id;
  std::vector<ToolCall> tool_calls;
};

}  // namespace agents
