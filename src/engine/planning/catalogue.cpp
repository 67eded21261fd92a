#include "engine/planning/catalogue.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/structure/plain_line.hpp"

namespace ctxmgr::engine {
namespace {

/// As a planner reads them.
void drop_repeats(std::vector<std::string>& passages, std::unordered_set<std::string>& shown) {
  const auto is_known = [&shown](const std::string& passage) {
    auto line = plain_line(passage, passage.size());
    line.erase(line.find_last_not_of(' ') + 1);
    return !shown.insert(std::move(line)).second;
  };
  passages.erase(std::remove_if(passages.begin(), passages.end(), is_known), passages.end());
}

}  // namespace

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
  std::unordered_set<std::string> shown;
  for (auto& entry : entries) drop_repeats(entry.passages, shown);
  std::vector<std::string> hashes;
  for (const auto& entry : entries) hashes.push_back(content_hash(*entry.artifact));
  auto focuses = cache.focuses(scope, hashes, call);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].focuses = std::move(focuses[i]);
  return entries;
}

}  // namespace ctxmgr::engine
