#include "core/json/types.hpp"
#include "core/messages_limit.hpp"

namespace ctxmgr {

namespace {

Json names_of(const std::vector<NoteCode>& codes) {
  Json names = Json::array();
  for (const auto code : codes) names.push_back(enum_name(code));
  return names;
}

}  // namespace

void read_json(JsonReader& in, const Json& json, UsageMetadata& out) {
  if (!in.is_object(json)) return;
  in.field(json, "prompt_tokens", out.prompt_tokens);
  in.field(json, "cached_prompt_tokens", out.cached_prompt_tokens);
  in.field(json, "cache_write_tokens", out.cache_write_tokens);
  in.field(json, "completion_tokens", out.completion_tokens);
  in.field(json, "calls", out.calls);
}

Json write_json(const UsageMetadata& value) {
  return {{"prompt_tokens", value.prompt_tokens},           {"cached_prompt_tokens", value.cached_prompt_tokens},
          {"cache_write_tokens", value.cache_write_tokens}, {"completion_tokens", value.completion_tokens},
          {"total_tokens", value.total_tokens()},           {"calls", value.calls}};
}

void read_json(JsonReader& in, const Json& json, CostMetadata& out) {
  if (!in.is_object(json)) return;
  in.field(json, "prompt_cost_usd", out.prompt_cost_usd);
  in.field(json, "completion_cost_usd", out.completion_cost_usd);
}

Json write_json(const CostMetadata& value) {
  return {{"prompt_cost_usd", value.prompt_cost_usd},
          {"completion_cost_usd", value.completion_cost_usd},
          {"total_cost_usd", value.total_cost_usd()}};
}

void read_json(JsonReader& in, const Json& json, ArtifactUsageRecord& out) {
  if (!in.is_object(json)) return;
  in.field(json, "artifact_id", out.artifact_id);
  in.field(json, "source", out.source);
  in.field(json, "artifact_type", out.artifact_type);
  in.field(json, "strategy", out.strategy);
  in.field(json, "trust", out.trust);
  in.field(json, "original_size_chars", out.original_size_chars);
  in.field(json, "processed_size_chars", out.processed_size_chars);
  in.field(json, "original_tokens", out.original_tokens);
  in.field(json, "processed_tokens", out.processed_tokens);
  in.field(json, "cache_hit", out.cache_hit);
  in.field(json, "reason", out.reason);
  in.field(json, "reference", out.reference);
}

Json write_json(const ArtifactUsageRecord& value) {
  return {{"artifact_id", value.artifact_id},
          {"source", value.source},
          {"artifact_type", enum_name(value.artifact_type)},
          {"strategy", enum_name(value.strategy)},
          {"trust", enum_name(value.trust)},
          {"original_size_chars", value.original_size_chars},
          {"processed_size_chars", value.processed_size_chars},
          {"original_tokens", value.original_tokens},
          {"processed_tokens", value.processed_tokens},
          {"cache_hit", value.cache_hit},
          {"reason", value.reason},
          {"reference", value.reference}};
}

void read_json(JsonReader& in, const Json& json, ContextPlanningUsage& out) {
  if (!in.is_object(json)) return;
  in.field(json, "planner", out.planner);
  in.field(json, "summarizer", out.summarizer);
  in.field(json, "embedder", out.embedder);
}

Json write_json(const ContextPlanningUsage& value) {
  return {{"planner", write_json(value.planner)},
          {"summarizer", write_json(value.summarizer)},
          {"embedder", write_json(value.embedder)}};
}

void read_json(JsonReader& in, const Json& json, ContextPlanningCost& out) {
  if (!in.is_object(json)) return;
  in.field(json, "planner_cost_usd", out.planner_cost_usd);
  in.field(json, "summarizer_cost_usd", out.summarizer_cost_usd);
  in.field(json, "embedder_cost_usd", out.embedder_cost_usd);
}

Json write_json(const ContextPlanningCost& value) {
  return {{"planner_cost_usd", value.planner_cost_usd},
          {"summarizer_cost_usd", value.summarizer_cost_usd},
          {"embedder_cost_usd", value.embedder_cost_usd},
          {"total_cost_usd", value.total_cost_usd()}};
}

void read_json(JsonReader& in, const Json& json, CacheStats& out) {
  if (!in.is_object(json)) return;
  in.field(json, "hits", out.hits);
  in.field(json, "misses", out.misses);
}

Json write_json(const CacheStats& value) {
  return {{"hits", value.hits}, {"misses", value.misses}, {"hit_rate", value.hit_rate()}};
}

void read_json(JsonReader& in, const Json& json, TokenBreakdown& out) {
  if (!in.is_object(json)) return;
  in.field(json, "system_tokens", out.system_tokens);
  in.field(json, "user_tokens", out.user_tokens);
  in.field(json, "assistant_tokens", out.assistant_tokens);
  in.field(json, "tool_tokens", out.tool_tokens);
  in.field(json, "artifact_tokens", out.artifact_tokens);
  in.field(json, "notes_tokens", out.notes_tokens);
  in.field(json, "overhead_tokens", out.overhead_tokens);
}

Json write_json(const TokenBreakdown& value) {
  return {{"system_tokens", value.system_tokens},       {"user_tokens", value.user_tokens},
          {"assistant_tokens", value.assistant_tokens}, {"tool_tokens", value.tool_tokens},
          {"artifact_tokens", value.artifact_tokens},   {"notes_tokens", value.notes_tokens},
          {"overhead_tokens", value.overhead_tokens}};
}

void read_json(JsonReader& in, const Json& json, StepTiming& out) {
  if (!in.is_object(json)) return;
  in.field(json, "step", out.step);
  in.field(json, "elapsed_us", out.elapsed);
}

Json write_json(const StepTiming& value) { return {{"step", value.step}, {"elapsed_us", value.elapsed.count()}}; }

void read_json(JsonReader& in, const Json& json, CompactionReport& out) {
  if (!in.is_object(json)) return;
  in.field(json, "reason", out.reason);
  in.field(json, "messages", out.messages);
  in.field(json, "tokens_before", out.tokens_before);
  in.field(json, "tokens_after", out.tokens_after);
  in.field(json, "prefix_tokens_kept", out.prefix_tokens_kept);
}

Json write_json(const CompactionReport& value) {
  Json messages = Json::array();
  for (const auto& range : value.messages) messages.push_back({{"first", range.first}, {"last", range.last}});
  return {{"reason", value.reason},
          {"messages", std::move(messages)},
          {"tokens_before", value.tokens_before},
          {"tokens_after", value.tokens_after},
          {"prefix_tokens_kept", value.prefix_tokens_kept}};
}

void read_json(JsonReader& in, const Json& json, ContextUtilizationMetadata& out) {
  if (!in.is_object(json)) return;
  in.field(json, "model_name", out.model_name);
  in.field(json, "strategy", out.strategy);
  in.field(json, "goal", out.goal);
  in.field(json, "model_max_tokens", out.model_max_tokens);
  in.field(json, "max_input_tokens", out.messages_limit);  // The name of before.
  in.field(json, "messages_limit", out.messages_limit);
  in.field(json, "budget_tokens", out.budget_tokens);
  set_messages_limit(out, out.messages_limit);
  in.field(json, "input_tokens_used", out.input_tokens_used);
  in.field(json, "tools_tokens", out.tools_tokens);
  in.field(json, "tools_left_out", out.tools_left_out);
  in.field(json, "fixed_tokens", out.fixed_tokens);
  in.field(json, "tokens_exact", out.tokens_exact);
  in.field(json, "framing_exact", out.framing_exact);
  in.field(json, "messages_included", out.messages_included);
  in.field(json, "messages_excluded", out.messages_excluded);
  in.field(json, "breakdown", out.breakdown);
  in.field(json, "artifacts_processed", out.artifacts_processed);
  in.field(json, "artifacts_total", out.artifacts_total);
  in.field(json, "artifacts_included", out.artifacts_included);
  in.field(json, "artifacts_transformed", out.artifacts_transformed);
  in.field(json, "artifacts_excluded", out.artifacts_excluded);
  in.field(json, "llm_planning_used", out.llm_planning_used);
  in.field(json, "plan_source", out.plan_source);
  in.field(json, "plan_reason", out.plan_reason);
  in.field(json, "plan_repairs", out.plan_repairs);
  in.field(json, "planning_usage", out.planning_usage);
  in.field(json, "planning_cost", out.planning_cost);
  in.field(json, "cache_stats", out.cache_stats);
  in.field(json, "thread_planning_tokens", out.thread_planning_tokens);
  in.field(json, "thread_planning_usd", out.thread_planning_usd);
  in.field(json, "compaction", out.compaction);
  in.field(json, "prefix_fingerprint", out.prefix_fingerprint);
  in.field(json, "prefix_tokens_kept", out.prefix_tokens_kept);
  in.field(json, "cache_breakpoints", out.cache_breakpoints);
  in.field(json, "include_all_tokens", out.include_all_tokens);
  in.field(json, "include_all_cost_usd", out.include_all_cost_usd);
  in.field(json, "timings", out.timings);
  in.field(json, "notes", out.notes);
  in.field(json, "note_codes", out.note_codes);
}

Json write_json(const ContextUtilizationMetadata& value) {
  Json out{{"model_name", value.model_name},
           {"strategy", enum_name(value.strategy)},
           {"goal", enum_name(value.goal)},
           {"model_max_tokens", value.model_max_tokens},
           {"budget_tokens", value.budget_tokens},
           {"messages_limit", value.messages_limit},
           {"max_input_tokens", value.messages_limit},
           {"sent_tokens", value.sent_tokens()},
           {"input_tokens_used", value.input_tokens_used},
           {"tools_tokens", value.tools_tokens},
           {"tools_left_out", value.tools_left_out},
           {"fixed_tokens", value.fixed_tokens},
           {"tokens_exact", value.tokens_exact},
           {"framing_exact", value.framing_exact},
           {"messages_included", value.messages_included},
           {"messages_excluded", value.messages_excluded},
           {"breakdown", write_json(value.breakdown)},
           {"artifacts_processed", write_json(value.artifacts_processed)},
           {"artifacts_total", value.artifacts_total},
           {"artifacts_included", value.artifacts_included},
           {"artifacts_transformed", value.artifacts_transformed},
           {"artifacts_excluded", value.artifacts_excluded},
           {"llm_planning_used", value.llm_planning_used},
           {"plan_source", enum_name(value.plan_source)},
           {"plan_reason", value.plan_reason},
           {"plan_repairs", value.plan_repairs},
           {"planning_usage", write_json(value.planning_usage)},
           {"planning_cost", write_json(value.planning_cost)},
           {"cache_stats", write_json(value.cache_stats)},
           {"thread_planning_tokens", value.thread_planning_tokens},
           {"thread_planning_usd", value.thread_planning_usd},
           {"prefix_fingerprint", value.prefix_fingerprint},
           {"prefix_tokens_kept", value.prefix_tokens_kept},
           {"cache_breakpoints", value.cache_breakpoints},
           {"include_all_tokens", value.include_all_tokens},
           {"include_all_cost_usd", value.include_all_cost_usd},
           {"timings", write_json(value.timings)},
           {"notes", value.notes},
           {"note_codes", names_of(value.note_codes)}};
  if (value.compaction) out["compaction"] = write_json(*value.compaction);
  return out;
}

void read_json(JsonReader& in, const Json& json, ResponseMetadata& out) {
  if (!in.is_object(json)) return;
  in.field(json, "model", out.model);
  in.field(json, "usage", out.usage);
  in.field(json, "cost", out.cost);
  in.field(json, "total_usage", out.total_usage);
  in.field(json, "total_cost_usd", out.total_cost_usd);
  in.field(json, "context_utilization", out.context_utilization);
}

Json write_json(const ResponseMetadata& value) {
  return {{"model", value.model},
          {"usage", write_json(value.usage)},
          {"cost", write_json(value.cost)},
          {"total_usage", write_json(value.total_usage)},
          {"total_cost_usd", value.total_cost_usd},
          {"context_utilization", write_json(value.context_utilization)}};
}

}  // namespace ctxmgr
