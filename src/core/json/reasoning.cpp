#include "core/json/types.hpp"
#include "core/timestamp.hpp"

namespace ctxmgr {

void read_json(JsonReader& in, const Json& json, ToolPrediction& out) {
  if (!in.is_object(json)) return;
  TextOrJson arguments{out.arguments_json};
  in.field(json, "tool_name", out.tool_name);
  in.field(json, "arguments", arguments);
  in.field(json, "reasoning", out.reasoning);
}

Json write_json(const ToolPrediction& value) {
  return {{"tool_name", value.tool_name}, {"arguments", value.arguments_json}, {"reasoning", value.reasoning}};
}

void read_json(JsonReader& in, const Json& json, ToolResult& out) {
  if (!in.is_object(json)) return;
  TextOrJson result{out.result};
  TextOrJson error{out.error};
  in.field(json, "tool_name", out.tool_name);
  in.field(json, "success", out.success);
  in.field(json, "result", result);
  in.field(json, "error", error);
  if (const auto time = get_double(json, "execution_time_ms")) {
    // Timers report fractions; what is not a sensible duration is left at zero.
    if (*time >= 0 && *time < 1e15) out.execution_time = std::chrono::milliseconds(static_cast<std::int64_t>(*time));
  }
}

Json write_json(const ToolResult& value) {
  return {{"tool_name", value.tool_name},
          {"success", value.success},
          {"result", value.result},
          {"error", value.error},
          {"execution_time_ms", value.execution_time.count()}};
}

void read_json(JsonReader& in, const Json& json, ReasoningStepRecord& out) {
  if (!in.is_object(json)) return;
  in.field(json, "step_index", out.step_index);
  in.field(json, "thought", out.thought);
  in.field(json, "tool_predictions", out.tool_predictions);
  in.field(json, "tool_results", out.tool_results);
  in.field(json, "timestamp", out.timestamp);
}

Json write_json(const ReasoningStepRecord& value) {
  Json out{{"step_index", value.step_index},
           {"thought", value.thought},
           {"tool_predictions", write_json(value.tool_predictions)},
           {"tool_results", write_json(value.tool_results)}};
  if (value.timestamp) out["timestamp"] = to_rfc3339(*value.timestamp);
  return out;
}

void read_json(JsonReader& in, const Json& json, ReasoningEvent& out) {
  if (!in.is_object(json)) return;
  std::string type;
  TextOrJson metadata{out.metadata_json};
  TextOrJson error{out.error};
  in.field(json, "type", type);
  in.field(json, "step_iteration", out.step_iteration);
  in.field(json, "metadata", metadata);
  in.field(json, "error", error);
  out.type = parse_enum<ReasoningEventType>(type).value_or(ReasoningEventType::unknown);
}

Json write_json(const ReasoningEvent& value) {
  Json out{{"type", enum_name(value.type)}, {"step_iteration", value.step_iteration}};
  Json metadata = parse_object(value.metadata_json);
  out["metadata"] = metadata.is_object() ? std::move(metadata) : Json(value.metadata_json);
  out["error"] = value.error;
  return out;
}

}  // namespace ctxmgr
