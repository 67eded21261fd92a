#include "engine/artifact_set.hpp"

#include <algorithm>
#include <string>

namespace ctxmgr::engine {
namespace {

std::string_view label(const Artifact& artifact, const char* key) {
  const auto found = artifact.metadata.find(key);
  return found == artifact.metadata.end() ? std::string_view() : std::string_view(found->second);
}

void append(const Artifact& artifact, TextIndex& index) {
  auto title = label(artifact, "title");
  if (title.empty()) title = artifact.source;
  const auto tool = label(artifact, "tool_name");
  const auto call =
      tool.empty() ? std::string() : std::string(tool) + "(" + std::string(label(artifact, "tool_arguments")) + ")";
  const auto speaker = artifact.artifact_type == ArtifactType::tool_result ? Speaker::tool : Speaker::document;
  ItemText item;
  item.text = artifact.content;
  item.title = title;
  item.call = call;
  item.format = artifact.content_format;
  item.speaker = speaker;
  item.trust = artifact.trust;
  index.append(item);
}

}  // namespace

void ArtifactSet::update(const std::vector<Item>& items, const std::vector<Fingerprint>& chain,
                         const TokenCounter& counter) {
  const bool grown = chain.size() >= chain_.size() && std::equal(chain_.begin(), chain_.end(), chain.begin());
  if (!grown) *this = ArtifactSet();
  for (std::size_t i = chain_.size(); i < chain.size(); ++i) {
    const auto& artifact = *items[i].artifact;
    tokens_.push_back(counter.count(artifact.content));
    chars_.push_back(static_cast<std::int64_t>(size_chars(artifact)));
    append(artifact, index_);
  }
  chain_ = chain;
}

std::size_t ArtifactSet::bytes() const {
  return chain_.size() * (sizeof(Fingerprint) + 2 * sizeof(std::int64_t)) + index_.bytes();
}

}  // namespace ctxmgr::engine
