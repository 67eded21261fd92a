#include "engine/build/artifact_set.hpp"

#include <algorithm>
#include <utility>

#include "engine/index/artifact_item.hpp"

namespace ctxmgr::engine {

void ArtifactSet::update(const std::vector<Item>& items, const std::vector<Fingerprint>& chain,
                         const TokenCounter& counter, Pace& pace) {
  const bool grown = chain.size() >= chain_.size() && std::equal(chain_.begin(), chain_.end(), chain.begin());
  if (!grown || read_ < chain_.size()) *this = ArtifactSet();
  for (std::size_t i = chain_.size(); i < chain.size(); ++i) {
    const auto& artifact = *items[i].artifact;
    chars_.push_back(static_cast<std::int64_t>(size_chars(artifact)));
    if (!pace.allows(artifact.content.size())) {
      tokens_.push_back(make_approximate_token_counter()->count(artifact.content));
      continue;
    }
    tokens_.push_back(counter.count(artifact.content));
    index_.append(ArtifactItem(artifact).text());
    ++read_;
  }
  chain_ = chain;
}

std::size_t ArtifactSet::bytes() const {
  std::size_t references = references_.capacity() * sizeof(std::string);
  for (const auto& reference : references_) references += reference.capacity();
  return chain_.size() * (sizeof(Fingerprint) + 2 * sizeof(std::int64_t)) + index_.bytes() + references;
}

Fingerprint ArtifactSet::turn(std::string_view query, ContextGoal goal) const {
  const auto asked = fingerprint(query, fingerprint(goal == ContextGoal::planning ? "planning" : "synthesis"));
  return chain_.empty() ? asked : fingerprint(chain_.back().hex(), asked);
}

std::string ArtifactSet::reference(std::size_t item, const std::shared_ptr<ArtifactArchive>& archive) const {
  return is_of(archive) && item < references_.size() ? references_[item] : std::string();
}

void ArtifactSet::set_reference(std::size_t item, const std::shared_ptr<ArtifactArchive>& archive,
                                std::string reference) {
  if (!is_of(archive)) references_.clear();
  archive_ = archive;
  if (references_.size() <= item) references_.resize(item + 1);
  references_[item] = std::move(reference);
}

/// By who owns it: an address may be another's by now.
bool ArtifactSet::is_of(const std::shared_ptr<ArtifactArchive>& archive) const {
  return !archive_.owner_before(archive) && !archive.owner_before(archive_);
}

}  // namespace ctxmgr::engine
