#pragma once
#include <string>

namespace ctxmgr {

/// A tool that a model may call.
struct ToolDefinition {
  std::string name{};
  std::string description{};
  std::string parameters_json{};  ///< JSON Schema of the arguments, as JSON text; empty: it takes none.
  std::string extra_json{};       ///< JSON object of the fields without a member; or all of a tool that is no function.
};

/// A call that a model made.
struct ToolCall {
  std::string id{};
  std::string name{};
  std::string arguments_json{};  ///< What the model wrote, which need not be valid JSON.
  std::string extra_json{};      ///< JSON object of the fields that have no member here (thought signatures, …).
};

}  // namespace ctxmgr
