#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/json/types.hpp"
#include "ctxmgr/core/reasoning.hpp"

namespace ctxmgr {
namespace {

/// The parts of a step as its events report them, some of them more than once.
struct StepParts {
  std::string thought;
  std::vector<ToolPrediction> planned;   // of the planning event
  std::vector<ToolPrediction> executed;  // of the events that started the tools
  std::vector<ToolResult> results;
  std::vector<ToolResult> errors;  // of the error events; they stand behind all results, which answer calls by number

  [[nodiscard]] bool is_empty() const {
    return thought.empty() && planned.empty() && executed.empty() && results.empty() && errors.empty();
  }
};

/// Reads the entries that can be read and says whether there was one.
template <class Entry>
bool append_entries(const Json& metadata, std::string_view key, std::vector<Entry>& out) {
  const Json* entries = find_field(metadata, key);
  if (entries == nullptr || !entries->is_array()) return false;
  const std::size_t before = out.size();
  for (const Json& json : *entries) {
    auto entry = decode_json<Entry>(json);
    if (entry && !entry->tool_name.empty()) out.push_back(std::move(*entry));
  }
  return out.size() > before;
}

void add_thought(const std::string& text, StepParts& step) {
  if (!step.thought.empty()) step.thought += '\n';
  step.thought += text;
}

bool apply_planning(const Json& metadata, StepParts& step) {
  const std::string* thought = get_string(metadata, "thought");
  if (thought != nullptr && !thought->empty()) add_thought(*thought, step);
  const bool has_calls = append_entries(metadata, "tool_predictions", step.planned);
  return has_calls || (thought != nullptr && !thought->empty());
}

/// What another reasoner said; hosts name it differently.
bool apply_external(const Json& metadata, StepParts& step) {
  for (const std::string_view key : {"thought", "reasoning", "content", "text", "summary"}) {
    const std::string* text = get_string(metadata, key);
    if (text == nullptr || text->empty()) continue;
    add_thought(*text, step);
    return true;
  }
  return false;
}

bool apply_error(const ReasoningEvent& event, const Json& metadata, StepParts& step) {
  const std::string* named = get_string(metadata, "error");
  std::string text = !event.error.empty() ? event.error : named != nullptr ? *named : std::string();
  if (text.empty()) return false;
  const std::string* tool = get_string(metadata, "tool_name");
  step.errors.push_back({tool != nullptr && !tool->empty() ? *tool : "error", false, {}, std::move(text), {}});
  return true;
}

/// Whether the event was of use. Those that only mark a point in time are, though they leave nothing behind.
bool apply(const ReasoningEvent& event, const Json& metadata, StepParts& step) {
  switch (event.type) {
    case ReasoningEventType::planning: return apply_planning(metadata, step);
    case ReasoningEventType::tool_execution_start: return append_entries(metadata, "tool_predictions", step.executed);
    case ReasoningEventType::tool_result: return append_entries(metadata, "tool_results", step.results);
    case ReasoningEventType::unknown: return false;
    case ReasoningEventType::iteration_start:
    case ReasoningEventType::iteration_complete:
    case ReasoningEventType::reasoning_complete: return true;
    case ReasoningEventType::external_reasoning: return apply_external(metadata, step);
    case ReasoningEventType::error: return apply_error(event, metadata, step);
  }
  return false;
}

/// What was started, with what the plan said about it and the start did not say again. A planned call stands for one
/// started call of its name: the one with its arguments, else the first.
std::vector<ToolPrediction> joined_calls(std::vector<ToolPrediction> planned, std::vector<ToolPrediction> executed) {
  if (executed.empty()) return planned;
  const auto take = [&](const ToolPrediction& call, bool same_arguments) {
    const auto found = std::find_if(planned.begin(), planned.end(), [&](const ToolPrediction& plan) {
      return plan.tool_name == call.tool_name && (!same_arguments || plan.arguments_json == call.arguments_json);
    });
    if (found == planned.end()) return std::optional<ToolPrediction>();
    std::optional<ToolPrediction> taken = std::move(*found);
    planned.erase(found);
    return taken;
  };
  std::vector<std::optional<ToolPrediction>> plans;
  for (const ToolPrediction& call : executed) plans.push_back(take(call, true));
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (!plans[i]) plans[i] = take(executed[i], false);
    if (!plans[i]) continue;
    if (executed[i].reasoning.empty()) executed[i].reasoning = std::move(plans[i]->reasoning);
    if (executed[i].arguments_json.empty()) executed[i].arguments_json = std::move(plans[i]->arguments_json);
  }
  return executed;
}

/// Of the errors, those that no result reports already.
void add_errors(std::vector<ToolResult> errors, std::vector<ToolResult>& results) {
  for (ToolResult& error : errors) {
    const bool is_known = std::any_of(results.begin(), results.end(),
                                      [&](const ToolResult& result) { return result.error == error.error; });
    if (!is_known) results.push_back(std::move(error));
  }
}

ReasoningStepRecord to_record(int iteration, StepParts parts) {
  ReasoningStepRecord record;
  record.step_index = iteration - 1;
  record.thought = std::move(parts.thought);
  record.tool_predictions = joined_calls(std::move(parts.planned), std::move(parts.executed));
  record.tool_results = std::move(parts.results);
  add_errors(std::move(parts.errors), record.tool_results);
  return record;
}

}  // namespace

std::vector<ReasoningStepRecord> parse_reasoning_events_to_steps(const std::vector<ReasoningEvent>& events) {
  std::vector<ReasoningStepRecord> out;
  std::map<int, StepParts> steps;
  for (const ReasoningEvent& event : events) {
    if (event.step_iteration >= 1) apply(event, parse_object(event.metadata_json), steps[event.step_iteration]);
  }
  for (auto& [iteration, parts] : steps) {
    if (!parts.is_empty()) out.push_back(to_record(iteration, std::move(parts)));
  }
  return out;
}

}  // namespace ctxmgr
