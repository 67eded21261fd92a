#include "ctxmgr/core/artifact.hpp"

#include <algorithm>
#include <utility>

#include "core/artifact_ids.hpp"
#include "core/content_format.hpp"
#include "core/sha256.hpp"
#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

/// What a failed call left behind. The error comes first, since a view may keep no more than the head.
std::string content_of(const ToolResult& result) {
  if (result.success) return utf8::repair(result.result);
  if (result.error.empty() && result.result.empty()) return "The tool failed and gave no reason.";
  const bool both = !result.error.empty() && !result.result.empty();
  return utf8::repair(result.error + (both ? "\n" : "") + result.result);
}

/// Where the results of a step come from, as their ids and sources say it.
struct Origin {
  std::string id_prefix;
  std::string source_prefix;
  Timestamp timestamp{};
  bool is_historical = false;
};

/// The call of the result's number, unless it is of another tool: an error of the run answers none.
ToolPrediction answered_by(const ReasoningStepRecord& step, std::size_t index) {
  if (index >= step.tool_predictions.size()) return {};
  const ToolPrediction& prediction = step.tool_predictions[index];
  const std::string& named = step.tool_results[index].tool_name;
  const bool is_other = !named.empty() && !prediction.tool_name.empty() && named != prediction.tool_name;
  return is_other ? ToolPrediction{} : prediction;
}

Artifact to_artifact(const ReasoningStepRecord& step, std::size_t index, const Origin& origin) {
  const ToolResult& result = step.tool_results[index];
  const ToolPrediction prediction = answered_by(step, index);
  const std::string& named = result.tool_name.empty() ? prediction.tool_name : result.tool_name;
  const std::string tool = named.empty() ? "tool" : utf8::repair(named);

  Artifact artifact;
  artifact.artifact_id = origin.id_prefix + "step_" + std::to_string(step.step_index) + "_tool_" +
                         std::to_string(index) + "_" + id_part(tool);
  artifact.artifact_type = ArtifactType::tool_result;
  artifact.content = content_of(result);
  artifact.source = origin.source_prefix + tool;
  artifact.timestamp = step.timestamp.value_or(origin.timestamp);
  artifact.metadata["tool_name"] = tool;
  if (!prediction.arguments_json.empty()) {
    artifact.metadata["tool_arguments"] = utf8::repair(prediction.arguments_json);
  }
  if (!result.success) artifact.metadata["failed"] = "true";
  if (origin.is_historical) artifact.metadata["historical"] = "true";
  return artifact;
}

void extract_step(const ReasoningStepRecord& step, const Origin& origin, UniqueIds& ids, std::vector<Artifact>& out) {
  for (std::size_t i = 0; i < step.tool_results.size(); ++i) {
    out.push_back(to_artifact(step, i, origin));
    out.back().artifact_id = ids.make(std::move(out.back().artifact_id));
  }
}

}  // namespace

std::size_t size_chars(const Artifact& artifact) { return utf8::count_code_points(artifact.content); }

std::string content_hash(const Artifact& artifact) {
  Sha256 hash;
  hash.update_field(enum_name(artifact.content_format));
  hash.update_field(artifact.content);
  return hash.hex();
}

Artifact make_document(std::string_view name, std::string_view content) {
  const std::string readable = id_part(name);
  Artifact artifact;
  // A name that does not survive as part of an id still has to tell two documents apart.
  artifact.artifact_id = "doc_" + readable + (readable == name ? "" : "_" + sha256_hex(name).substr(0, 8));
  artifact.content = utf8::repair(content);
  artifact.content_format = format_of_name(name);
  artifact.source = "document:" + utf8::repair(name);
  artifact.metadata["title"] = utf8::repair(name);
  return artifact;
}

std::vector<Artifact> extract_artifacts_from_steps(const std::vector<ReasoningStepRecord>& steps) {
  std::vector<Artifact> out;
  UniqueIds ids;
  for (const ReasoningStepRecord& step : steps) {
    extract_step(step, {"", "step_" + std::to_string(step.step_index) + ":", {}, false}, ids, out);
  }
  return out;
}

std::vector<Artifact> extract_artifacts_from_messages(const std::vector<ConversationMessage>& messages,
                                                      std::size_t max_historical_messages) {
  std::vector<Artifact> out;
  UniqueIds ids;
  for (std::size_t i = messages.size() - std::min(messages.size(), max_historical_messages); i < messages.size(); ++i) {
    const ConversationMessage& message = messages[i];
    if (message.reasoning_steps.empty()) continue;
    const std::string number = std::to_string(message.sequence_number.value_or(static_cast<std::int64_t>(i)));
    const Origin origin{"msg_" + number + "_", "history:msg_" + number + ":", message.created_at.value_or(Timestamp{}),
                        true};
    for (const ReasoningStepRecord& step : message.reasoning_steps) extract_step(step, origin, ids, out);
  }
  return out;
}

}  // namespace ctxmgr
