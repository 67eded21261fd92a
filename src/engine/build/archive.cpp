#include <algorithm>
#include <string>
#include <utility>

#include "engine/build/build_state.hpp"
#include "engine/build/data_block.hpp"

namespace ctxmgr::engine {

/// Gives the archive what is not sent whole, all at once and the most relevant first. What an earlier build gave it is
/// remembered, not given again.
void BuildState::keep_left_out() {
  const auto& archive = request_.archive;
  references_.resize(gathered_.items.size() + 1);
  archive_asked_.resize(gathered_.items.size());
  if (!archive) return;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) {
    if (is_whole(i) || archive_asked_[i]) continue;
    references_[i] = artifacts_->reference(i, archive);
    if (references_[i].empty()) missing.push_back(i);
  }
  if (missing.empty()) return;
  std::stable_sort(missing.begin(), missing.end(),
                   [&](std::size_t a, std::size_t b) { return layout_.relevance[a] > layout_.relevance[b]; });
  ask_archive(missing);
}

/// What is in the index was promised to the model: what an earlier build stored may have been erased since.
void BuildState::check_promises() {
  std::vector<std::size_t> promised;
  for (const auto& line : parts_.block.index) {
    if (!references_[line.item].empty() && !archive_asked_[line.item]) promised.push_back(line.item);
  }
  if (promised.empty()) return;
  ask_archive(promised);
  for (auto& line : parts_.block.index) {
    if (references_[line.item].empty())
      line.text = index_line(*gathered_.items[line.item].artifact, artifacts_->tokens(line.item), {});
  }
}

void BuildState::ask_archive(const std::vector<std::size_t>& items) {
  std::vector<const Artifact*> artifacts;
  for (const auto i : items) artifacts.push_back(gathered_.items[i].artifact);
  auto kept = keep_all_in(*request_.archive, artifacts, call_);
  std::size_t lost = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    archive_asked_[items[k]] = true;
    references_[items[k]] = kept[k].value_or("");
    artifacts_->set_reference(items[k], request_.archive, references_[items[k]]);
    lost += !kept[k];
  }
  if (lost == 0) return;
  const auto failed = std::find_if(kept.begin(), kept.end(), [](const auto& result) { return !result; });
  notes_.push_back(std::to_string(lost) + " of the artifacts that are not sent whole could not be stored: " +
                   std::string(to_string(failed->error().code)));
}

}  // namespace ctxmgr::engine
