#include "c/requests.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/enum_tables.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "engine/engine_enum_tables.hpp"
#include "wire_enum_tables.hpp"

namespace ctxmgr {

namespace {

/// A misspelled option must not be ignored.
void check_fields(JsonReader& in, const Json& json, std::initializer_list<std::string_view> known) {
  if (!in.is_object(json)) return;
  for (const auto& [name, value] : json.members()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string names;
    for (const auto& each : known) names.append(names.empty() ? "" : ", ").append(each);
    return in.fail(std::string("there is no field \"").append(name).append("\", only ").append(names));
  }
}

}  // namespace

void read_json(JsonReader& in, const Json& json, HistoryPolicy& out) {
  check_fields(in, json,
               {"target_fill", "evidence_share", "evidence_tokens", "notes_share", "oversized", "service_compacts_at"});
  if (!in.ok()) return;
  in.field(json, "target_fill", out.target_fill);
  in.field(json, "evidence_share", out.evidence_share);
  in.field(json, "evidence_tokens", out.evidence_tokens);
  in.field(json, "notes_share", out.notes_share);
  in.field(json, "oversized", out.oversized);
  in.field(json, "service_compacts_at", out.service_compacts_at);
}

void read_json(JsonReader& in, const Json& json, SummaryInstructions& out) {
  check_fields(in, json, {"text", "sections", "language"});
  if (!in.ok()) return;
  in.field(json, "text", out.text);
  in.field(json, "sections", out.sections);
  in.field(json, "language", out.language);
}

namespace c {
namespace {

template <class Value>
Result<Value> read(std::string_view text) {
  return parse_json(text).and_then([](const Json& json) { return decode_json<Value>(json); });
}

/// A chat request or the like, as text.
void read_body(JsonReader& in, const Json& json, std::string& out) {
  const Json* const body = find_field(json, "body");
  if (body == nullptr || (!body->is_object() && !body->is_array())) return in.fail("\"body\" has to be a request");
  out = dump_json(*body);
}

/// As text, like a body: the library's shared form exports no reading of parsed JSON.
void read_tool_rules(JsonReader& in, const Json& json, ToolRules& out) {
  const Json* const given = find_field(json, "tool_rules");
  if (given == nullptr) return;
  auto rules = from_json<ToolRules>(dump_json(*given));
  if (!rules) return in.fail("tool_rules: " + rules.error().message);
  out = std::move(*rules);
}

/// By the service's name: the demands themselves may grow.
void read_shape(JsonReader& in, const Json& json, std::optional<MessageShape>& out) {
  std::string service;
  in.field(json, "shape", service);
  if (service.empty() || !in.ok()) return;
  out = message_shape(service);
  if (!out)
    in.fail("shape: there is none of the name \"" + service +
            "\", only openai, anthropic, gemini, bedrock, mistral, llama_cpp, vllm");
}

}  // namespace

void read_json(JsonReader& in, const Json& json, ManagerOptions& out) {
  check_fields(in, json, {"catalog", "analysis_cache_bytes", "summary_ttl_ms", "store"});
  if (!in.ok()) return;
  in.field(json, "analysis_cache_bytes", out.analysis_cache_bytes);
  in.field(json, "summary_ttl_ms", out.summary_ttl);
  in.field(json, "store", out.store);
  const Json* const catalog = find_field(json, "catalog");
  if (catalog == nullptr) return;
  auto parsed = ModelCatalog::parse(dump_json(*catalog));
  if (!parsed) return in.fail("catalog: " + parsed.error().message);
  out.catalog = std::move(*parsed);
}

void read_json(JsonReader& in, const Json& json, BuildCall& out) {
  check_fields(in, json,
               {"form",
                "body",
                "session",
                "deadline_ms",
                "cache_control",
                "max_input_tokens",
                "context_window_tokens",
                "reserved_output_tokens",
                "query",
                "thread_state",
                "scope",
                "planner",
                "context_planner",
                "summarizer",
                "check_summaries",
                "max_llm_calls",
                "summary_instructions",
                "history",
                "tool_rules",
                "tools_budget",
                "pinned_tools",
                "shape",
                "compact_now",
                "tells_room",
                "calibration"});
  if (!in.ok()) return;
  auto& options = out.options;
  in.field(json, "form", out.form);
  in.field(json, "session", out.session);
  in.field(json, "deadline_ms", out.deadline_ms);
  in.field(json, "cache_control", out.place_cache_control);
  in.field(json, "max_input_tokens", options.budget.max_input_tokens);
  in.field(json, "context_window_tokens", options.budget.context_window_tokens);
  in.field(json, "reserved_output_tokens", options.budget.reserved_output_tokens);
  in.field(json, "calibration", options.budget.calibration);
  in.field(json, "tools_budget", options.tools_budget);
  in.field(json, "pinned_tools", options.pinned_tools);
  in.field(json, "compact_now", options.compact_now);
  in.field(json, "tells_room", options.tells_room);
  read_shape(in, json, options.shape);
  in.field(json, "query", options.query);
  in.field(json, "thread_state", options.thread_state.opaque);
  in.field(json, "scope", options.scope);
  in.field(json, "planner", options.planning.mode);
  in.field(json, "context_planner", options.models.context_planner);
  in.field(json, "summarizer", options.models.summarizer);
  in.field(json, "check_summaries", options.planning.check_summaries);
  in.field(json, "max_llm_calls", options.planning.max_llm_calls);
  in.field(json, "summary_instructions", options.planning.summary_instructions);
  in.field(json, "history", options.history);
  read_tool_rules(in, json, options.tool_rules);
  if (in.ok()) read_body(in, json, out.body);
}

void read_json(JsonReader& in, const Json& json, ToolRequest& out) {
  check_fields(in, json, {"form", "session", "agent", "id", "name", "arguments"});
  if (!in.ok()) return;
  in.field(json, "form", out.form);
  in.required(json, "session", out.session);
  in.field(json, "agent", out.agent);
  in.field(json, "id", out.id);
  in.field(json, "name", out.name);
  TextOrJson arguments{out.arguments};
  in.field(json, "arguments", arguments);
}

Result<ManagerOptions> read_manager_options(std::string_view text) { return read<ManagerOptions>(text); }
Result<BuildCall> read_build_call(std::string_view text) { return read<BuildCall>(text); }
Result<ToolRequest> read_tool_request(std::string_view text) { return read<ToolRequest>(text); }

}  // namespace c
}  // namespace ctxmgr
