#pragma once
#include "core/enum_tables.hpp"
#include "core/json/json.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/tool_rules.hpp"

/// \file
/// The JSON forms of the value types, for embedding them in other JSON. `docs/json.md` describes them.
namespace ctxmgr {

void read_json(JsonReader& in, const Json& json, Artifact& out);
void read_json(JsonReader& in, const Json& json, ArtifactDecision& out);
void read_json(JsonReader& in, const Json& json, ArtifactPlan& out);
void read_json(JsonReader& in, const Json& json, ArtifactUsageRecord& out);
void read_json(JsonReader& in, const Json& json, CacheStats& out);
void read_json(JsonReader& in, const Json& json, CompactionReport& out);
void read_json(JsonReader& in, const Json& json, ContentPart& out);
void read_json(JsonReader& in, const Json& json, ContextPlanningCost& out);
void read_json(JsonReader& in, const Json& json, ContextPlanningUsage& out);
void read_json(JsonReader& in, const Json& json, ContextUtilizationMetadata& out);
void read_json(JsonReader& in, const Json& json, ConversationMessage& out);
void read_json(JsonReader& in, const Json& json, std::vector<ConversationMessage>& out);
void read_json(JsonReader& in, const Json& json, CostMetadata& out);
void read_json(JsonReader& in, const Json& json, ReasoningEvent& out);
void read_json(JsonReader& in, const Json& json, ReasoningStepRecord& out);
void read_json(JsonReader& in, const Json& json, RequestAttachment& out);
void read_json(JsonReader& in, const Json& json, ResponseMetadata& out);
void read_json(JsonReader& in, const Json& json, SequenceRange& out);
void read_json(JsonReader& in, const Json& json, StepTiming& out);
void read_json(JsonReader& in, const Json& json, TokenBreakdown& out);
void read_json(JsonReader& in, const Json& json, ToolCall& out);
void read_json(JsonReader& in, const Json& json, ToolDefinition& out);
void read_json(JsonReader& in, const Json& json, ToolPrediction& out);
void read_json(JsonReader& in, const Json& json, ToolResult& out);
void read_json(JsonReader& in, const Json& json, ToolRule& out);
void read_json(JsonReader& in, const Json& json, UsageMetadata& out);

[[nodiscard]] Json write_json(const Artifact& value);
[[nodiscard]] Json write_json(const ArtifactDecision& value);
[[nodiscard]] Json write_json(const ArtifactPlan& value);
[[nodiscard]] Json write_json(const ArtifactUsageRecord& value);
[[nodiscard]] Json write_json(const CacheStats& value);
[[nodiscard]] Json write_json(const CompactionReport& value);
[[nodiscard]] Json write_json(const ContentPart& value);
[[nodiscard]] Json write_json(const ContextPlanningCost& value);
[[nodiscard]] Json write_json(const ContextPlanningUsage& value);
[[nodiscard]] Json write_json(const ContextUtilizationMetadata& value);
[[nodiscard]] Json write_json(const ConversationMessage& value);
[[nodiscard]] Json write_json(const CostMetadata& value);
[[nodiscard]] Json write_json(const ReasoningEvent& value);
[[nodiscard]] Json write_json(const ReasoningStepRecord& value);
[[nodiscard]] Json write_json(const RequestAttachment& value);
[[nodiscard]] Json write_json(const ResponseMetadata& value);
[[nodiscard]] Json write_json(const StepTiming& value);
[[nodiscard]] Json write_json(const TokenBreakdown& value);
[[nodiscard]] Json write_json(const ToolCall& value);
[[nodiscard]] Json write_json(const ToolDefinition& value);
[[nodiscard]] Json write_json(const ToolPrediction& value);
[[nodiscard]] Json write_json(const ToolResult& value);
[[nodiscard]] Json write_json(const ToolRule& value);
[[nodiscard]] Json write_json(const UsageMetadata& value);

/// In a message's `extra_json`, and never sent: the host of the service that sent its other fields …
inline constexpr std::string_view origin_key = "_from";

/// … and the type of the item that it was among OpenAI's Responses.
inline constexpr std::string_view item_key = "_item";

/// A message as a chat request has it, without what only this library knows.
[[nodiscard]] Json write_openai_json(const ConversationMessage& message);

/// JSON text held in a value, as JSON: an object, or null where the text is anything else.
[[nodiscard]] Json parse_object(std::string_view text);

/// The members of an object that are not among the known ones, as JSON text; empty where there are none.
template <class Known>
[[nodiscard]] std::string extra_fields(const Json& object, const Known& known) {
  Json extra = Json::object();
  for (const auto& [key, value] : object.members()) {
    if (std::find(std::begin(known), std::end(known), key) == std::end(known)) {
      extra.members().emplace_back(key, value);
    }
  }
  return extra.empty() ? std::string() : dump_json(extra);
}

/// Adds the members that `object` does not have yet.
void merge_fields(Json& object, const Json& extra);

}  // namespace ctxmgr
