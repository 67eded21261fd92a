#include "engine/build/archive.hpp"

#include <algorithm>

namespace ctxmgr::engine {

ArchivedItems::ArchivedItems(const FillInput& input)
    : input_(input),
      archive_(input.inputs.request.archive),
      references_(input.outcome.items.size()),
      asked_(input.outcome.items.size()) {}

void ArchivedItems::archive_left_out(const Filled& filled) {
  if (!archive_) return;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < input_.prepared.gathered.items.size(); ++i) {
    if (is_whole(filled, input_.outcome.items[i], i) || asked_[i]) continue;
    references_[i] = input_.prepared.artifacts().reference(i, archive_);
    if (references_[i].empty()) missing.push_back(i);
  }
  if (missing.empty()) return;
  const auto& relevance = input_.layout.relevance;
  std::stable_sort(missing.begin(), missing.end(),
                   [&relevance](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
  ask(missing);
}

void ArchivedItems::confirm(std::vector<IndexLine>& index) {
  std::vector<std::size_t> promised;
  for (const auto& line : index) {
    if (!references_[line.item].empty() && !asked_[line.item]) promised.push_back(line.item);
  }
  if (promised.empty()) return;
  ask(promised);
  const auto is_lost = [this](const IndexLine& line) { return references_[line.item].empty(); };
  index.erase(std::remove_if(index.begin(), index.end(), is_lost), index.end());
}

void ArchivedItems::ask(const std::vector<std::size_t>& items) {
  std::vector<const Artifact*> artifacts;
  for (const auto i : items) artifacts.push_back(input_.outcome.items[i].artifact);
  auto kept = keep_all_in(*archive_, artifacts, input_.inputs.call);
  std::size_t lost = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    asked_[items[k]] = true;
    references_[items[k]] = kept[k].value_or("");
    input_.prepared.artifacts().set_reference(items[k], archive_, references_[items[k]]);
    lost += !kept[k];
  }
  if (lost == 0) return;
  const auto failed = std::find_if(kept.begin(), kept.end(), [](const auto& result) { return !result; });
  notes_.push_back(std::to_string(lost) + " of the artifacts that are not sent whole could not be stored: " +
                   std::string(to_string(failed->error().code)));
}

}  // namespace ctxmgr::engine
