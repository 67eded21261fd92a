#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/timestamp.hpp"

namespace ctxmgr {

/// A tool call that an agent decided on.
struct ToolPrediction {
  std::string tool_name{};
  std::string arguments_json{};  ///< JSON text.
  std::string reasoning{};       ///< Why this tool, in the agent's words.
};

/// The result of a tool call. The i-th result of a step answers its i-th prediction.
struct ToolResult {
  std::string tool_name{};
  bool success = true;
  std::string result{};  ///< UTF-8 text; a structured result as its JSON text.
  std::string error{};   ///< Why it failed, if it did. Shown in full, never summarised.
  std::chrono::milliseconds execution_time{};
};

/// One step of an agent: its thought, its calls, their results.
struct ReasoningStepRecord {
  int step_index = 0;  ///< Position of the step, from 0.
  std::string thought{};
  std::vector<ToolPrediction> tool_predictions{};
  std::vector<ToolResult> tool_results{};
  std::optional<Timestamp> timestamp{};
};

/// The kind of a stored event of a run. Stored by name: an enumerator is never renamed.
enum class ReasoningEventType {
  iteration_start,
  planning,              ///< metadata: `thought`, `tool_predictions`
  tool_execution_start,  ///< metadata: `tool_predictions`: [{tool_name, arguments, reasoning}]
  tool_result,           ///< metadata: `tool_results`: [{tool_name, success, result, error, execution_time_ms}]
  iteration_complete,
  reasoning_complete,
  external_reasoning,
  error,
  unknown,  ///< An event of a type that this version does not know.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ReasoningEventType value);

/// One event of an agent's run, as it was streamed and stored.
struct ReasoningEvent {
  ReasoningEventType type = ReasoningEventType::unknown;
  int step_iteration = 1;       ///< The step's index plus 1.
  std::string metadata_json{};  ///< JSON object with the fields that `ReasoningEventType` lists; others are ignored.
  std::string error{};
};

/// Rebuilds step records from stored events, in one pass and in order of iteration. Never fails:
/// incomplete, malformed and unknown ones are skipped.
[[nodiscard]] CTXMGR_API std::vector<ReasoningStepRecord> parse_reasoning_events_to_steps(
    const std::vector<ReasoningEvent>& events);

}  // namespace ctxmgr
