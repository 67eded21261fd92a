#include "engine/index/artifact_item.hpp"

#include <cmath>

#include "core/real_number.hpp"

namespace ctxmgr::engine {
namespace {

// A turn says who speaks before its first colon: "Project Manager: …".
std::size_t label_bytes(std::string_view turn) {
  constexpr std::size_t longest_label = 64;
  const std::size_t colon = turn.substr(0, longest_label).find(':');
  const bool label = colon != std::string_view::npos && colon > 0 &&
                     turn.substr(0, colon).find('\n') == std::string_view::npos && turn.substr(colon + 1, 1) == " ";
  return label ? colon + 2 : 0;
}

Speaker speaker_of(const Artifact& artifact) {
  if (artifact.artifact_type == ArtifactType::document) return Speaker::document;
  if (artifact.artifact_type == ArtifactType::tool_result) return Speaker::tool;
  const std::string_view role = metadata_of(artifact, "role");
  if (role == "assistant") return Speaker::assistant;
  return role == "tool" ? Speaker::tool : Speaker::user;
}

}  // namespace

std::string_view metadata_of(const Artifact& artifact, const char* key) {
  const auto found = artifact.metadata.find(key);
  return found == artifact.metadata.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<double> prior_score(const Artifact& artifact) {
  const auto score = read_real(metadata_of(artifact, prior_score_key));
  return score && std::isfinite(*score) ? score : std::nullopt;
}

ArtifactItem::ArtifactItem(const Artifact& artifact) {
  if (const auto tool = metadata_of(artifact, "tool_name"); !tool.empty())
    call_.append(tool).append("(").append(metadata_of(artifact, "tool_arguments")).append(")");
  item_.text = artifact.content;
  item_.title = metadata_of(artifact, "title");
  if (item_.title.empty()) item_.title = artifact.source;
  item_.call = call_;
  item_.format = artifact.content_format;
  item_.language = language_of_name(metadata_of(artifact, "language"));
  item_.speaker = speaker_of(artifact);
  item_.trust = artifact.trust;
  if (artifact.artifact_type != ArtifactType::conversation) return;
  item_.label_bytes = label_bytes(artifact.content);
  if (artifact.timestamp != Timestamp{}) item_.time = artifact.timestamp;
}

}  // namespace ctxmgr::engine
