#include "engine/artifact_set.hpp"

#include <algorithm>

#include "engine/artifact_item.hpp"

namespace ctxmgr::engine {

void ArtifactSet::update(const std::vector<Item>& items, const std::vector<Fingerprint>& chain,
                         const TokenCounter& counter) {
  const bool grown = chain.size() >= chain_.size() && std::equal(chain_.begin(), chain_.end(), chain.begin());
  if (!grown) *this = ArtifactSet();
  for (std::size_t i = chain_.size(); i < chain.size(); ++i) {
    const auto& artifact = *items[i].artifact;
    tokens_.push_back(counter.count(artifact.content));
    chars_.push_back(static_cast<std::int64_t>(size_chars(artifact)));
    index_.append(ArtifactItem(artifact).text());
  }
  chain_ = chain;
}

std::size_t ArtifactSet::bytes() const {
  return chain_.size() * (sizeof(Fingerprint) + 2 * sizeof(std::int64_t)) + index_.bytes();
}

}  // namespace ctxmgr::engine
