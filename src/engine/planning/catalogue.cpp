#include "engine/planning/catalogue.hpp"

#include <algorithm>
#include <utility>

namespace ctxmgr::engine {

std::vector<CatalogueEntry> make_catalogue(std::vector<CatalogueEntry> entries,
                                           const std::vector<RankedArtifact>& ranked, std::size_t most,
                                           const SummaryCache& cache, const std::string& scope,
                                           const CallOptions& call) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view content = entries[i].artifact->content;
    entries[i].relevance = ranked[i].relevance;
    for (const auto& hit : ranked[i].hits)
      entries[i].passages.emplace_back(content.substr(hit.span.offset, hit.span.length));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.relevance > b.relevance; });
  entries.resize(std::min(entries.size(), most));
  std::vector<std::string> hashes;
  for (const auto& entry : entries) hashes.push_back(content_hash(*entry.artifact));
  auto focuses = cache.focuses(scope, hashes, call);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].focuses = std::move(focuses[i]);
  return entries;
}

}  // namespace ctxmgr::engine
