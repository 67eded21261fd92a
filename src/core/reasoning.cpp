#include "ctxmgr/core/reasoning.hpp"

#include <map>

#include "core/json/types.hpp"

namespace ctxmgr {
namespace {

/// The parts of a step as its events report them, some of them more than once.
struct StepParts {
  std::string thought;
  std::vector<ToolPrediction> planned;   // of the planning event
  std::vector<ToolPrediction> executed;  // of the events that started the tools
  std::vector<ToolResult> results;

  [[nodiscard]] bool is_empty() const {
    return thought.empty() && planned.empty() && executed.empty() && results.empty();
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
  const std::string text = !event.error.empty() ? event.error : named != nullptr ? *named : std::string();
  if (text.empty()) return false;
  add_thought("error: " + text, step);
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

ReasoningStepRecord to_record(int iteration, StepParts parts) {
  ReasoningStepRecord record;
  record.step_index = iteration - 1;
  record.thought = std::move(parts.thought);
  record.tool_predictions = std::move(parts.executed.empty() ? parts.planned : parts.executed);
  record.tool_results = std::move(parts.results);
  return record;
}

}  // namespace

ParsedSteps parse_reasoning_events_to_steps(const std::vector<ReasoningEvent>& events) {
  ParsedSteps out;
  std::map<int, StepParts> steps;
  for (const ReasoningEvent& event : events) {
    const bool in_range = event.step_iteration >= 1;
    if (!in_range || !apply(event, parse_object(event.metadata_json), steps[event.step_iteration])) {
      ++out.skipped_events;
    }
  }
  for (auto& [iteration, parts] : steps) {
    if (!parts.is_empty()) out.steps.push_back(to_record(iteration, std::move(parts)));
  }
  return out;
}

}  // namespace ctxmgr
