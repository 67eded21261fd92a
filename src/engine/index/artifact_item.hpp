#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Empty where the artifact has no such entry. Of the artifact, which outlives it.
[[nodiscard]] std::string_view metadata_of(const Artifact& artifact, const char* key);

inline constexpr const char* prior_score_key = "prior_score";

/// What the host's own search says of it; nullopt where it says nothing, or no finite number.
[[nodiscard]] std::optional<double> prior_score(const Artifact& artifact);

/// What the index has to know of an artifact. Keeps the text of its call alive; the artifact outlives it.
class ArtifactItem {
 public:
  explicit ArtifactItem(const Artifact& artifact);
  ArtifactItem(const ArtifactItem&) = delete;
  ArtifactItem& operator=(const ArtifactItem&) = delete;

  [[nodiscard]] const ItemText& text() const { return item_; }

 private:
  std::string call_;
  ItemText item_;
};

}  // namespace ctxmgr::engine
