#include "core/json/types.hpp"
#include "core/timestamp.hpp"
#include "core/utf8.hpp"

namespace ctxmgr {

void read_json(JsonReader& in, const Json& json, Artifact& out) {
  if (!in.is_object(json)) return;
  TextOrJson content{out.content};
  in.required(json, "artifact_id", out.artifact_id);
  in.field(json, "artifact_type", out.artifact_type);
  in.field(json, "content", content);
  if (content.was_json) out.content_format = ContentFormat::json;
  in.field(json, "content_format", out.content_format);
  in.field(json, "source", out.source);
  in.field(json, "timestamp", out.timestamp);
  in.field(json, "metadata", out.metadata);
  in.field(json, "trust", out.trust);
}

Json write_json(const Artifact& value) {
  Json out{{"artifact_id", value.artifact_id},
           {"artifact_type", enum_name(value.artifact_type)},
           {"content", value.content},
           {"content_format", enum_name(value.content_format)},
           {"size_chars", size_chars(value)},
           {"source", value.source},
           {"timestamp", to_rfc3339(value.timestamp)},
           {"metadata", Json::object()},
           {"trust", enum_name(value.trust)}};
  std::map<std::string, std::string_view> metadata;  // keys that differ in invalid bytes alone become one
  for (const auto& [key, text] : value.metadata) metadata.emplace(utf8::repair(key), text);
  auto& members = out["metadata"].members();
  for (const auto& [key, text] : metadata) members.emplace_back(key, text);
  return out;
}

void read_json(JsonReader& in, const Json& json, RequestAttachment& out) {
  if (!in.is_object(json)) return;
  TextOrJson content{out.content};
  in.field(json, "attachment_id", out.attachment_id);
  in.field(json, "content", content);
  in.field(json, "title", out.title);
  in.field(json, "source", out.source);
  in.field(json, "attachment_type", out.attachment_type);
}

Json write_json(const RequestAttachment& value) {
  return {{"attachment_id", value.attachment_id},
          {"content", value.content},
          {"title", value.title},
          {"source", value.source},
          {"attachment_type", value.attachment_type}};
}

void read_json(JsonReader& in, const Json& json, ArtifactDecision& out) {
  if (!in.is_object(json)) return;
  in.required(json, "artifact_id", out.artifact_id);
  in.required(json, "strategy", out.strategy);
  in.field(json, "priority", out.priority);
  in.field(json, "relevance_rationale", out.relevance_rationale);
  in.field(json, "summarization_focus", out.summarization_focus);
  in.field(json, "extraction_query", out.extraction_query);
  in.field(json, "target_tokens", out.target_tokens);
}

Json write_json(const ArtifactDecision& value) {
  return {{"artifact_id", value.artifact_id},
          {"strategy", enum_name(value.strategy)},
          {"priority", value.priority},
          {"relevance_rationale", value.relevance_rationale},
          {"summarization_focus", value.summarization_focus},
          {"extraction_query", value.extraction_query},
          {"target_tokens", value.target_tokens}};
}

void read_json(JsonReader& in, const Json& json, ArtifactPlan& out) {
  if (!in.is_object(json)) return;
  in.field(json, "artifacts", out.artifacts);
  in.field(json, "reasoning", out.reasoning);
}

Json write_json(const ArtifactPlan& value) {
  return {{"artifacts", write_json(value.artifacts)}, {"reasoning", value.reasoning}};
}

}  // namespace ctxmgr
