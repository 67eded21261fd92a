#include "engine/build/archive.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/build/evidence.hpp"
#include "engine/history/cut_messages.hpp"

namespace ctxmgr::engine {
namespace {

/// `keep_all` of an archive that may throw or miscount after all.
std::vector<Result<std::string>> keep_all_in(ArtifactArchive& archive, const std::vector<const Artifact*>& artifacts,
                                             const CallOptions& call) {
  std::vector<Result<std::string>> references;
  Error missing{ErrorCode::internal, "the archive gave no answer", {}};
  try {
    references = archive.keep_all(artifacts, call);
  } catch (...) {
    missing.message = "the archive threw an exception";  // which costs the references, not the build
  }
  references.resize(artifacts.size(), tl::unexpected(missing));
  return references;
}

void erase_all(std::string& text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

ArchivedItems::ArchivedItems(const FillInput& input, ArtifactSet& artifacts)
    : input_(input),
      artifacts_(artifacts),
      archive_(input.inputs.request.archive),
      handles_(*input.prepared.handles),
      references_(input.outcome.items.size()) {}

void ArchivedItems::refer(const Filled& filled) {
  if (!archive_) return;
  for (std::size_t i = 0; i < input_.prepared.gathered.items.size(); ++i) {
    const auto& item = input_.outcome.items[i];
    if (!references_[i].empty() || is_whole(filled, item, i)) continue;
    references_[i] = artifacts_.reference(i, archive_);
    if (references_[i].empty()) references_[i] = reference_in(*archive_, *item.artifact);
  }
}

void ArchivedItems::want_items(const Verified& verified, std::vector<Wanted>& wanted) {
  const auto& filled = verified.filled;
  std::set<std::size_t> promised;
  for (const auto& line : filled.parts.block.index) promised.insert(line.item);
  for (std::size_t i = 0; i < input_.prepared.gathered.items.size(); ++i) {
    const auto& item = input_.outcome.items[i];
    if (is_whole(filled, item, i)) continue;
    const bool held = !artifacts_.reference(i, archive_).empty();
    if (held && !promised.contains(i)) continue;
    wanted.push_back({{}, item.artifact, i, nowhere, {}, references_[i]});
  }
  const auto& relevance = input_.layout.relevance;
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&relevance](const Wanted& a, const Wanted& b) { return relevance[a.item] > relevance[b.item]; });
}

void ArchivedItems::want_message(std::size_t message, std::vector<Wanted>& wanted) {
  if (handles_.kept().messages.contains(message)) return;
  const auto& messages = input_.inputs.context.conversation_history;
  wanted.push_back({artifact_of_message(messages, message), nullptr, nowhere, message, {}, handles_.of(message)});
}

void ArchivedItems::want_messages(const Filled& filled, std::vector<Wanted>& wanted) {
  const auto& thread = input_.prepared.thread();
  const auto& messages = input_.inputs.context.conversation_history;
  const auto& suffix = filled.parts.suffix;
  auto stretches =
      handles_.kept().all_before == suffix.cut ? std::vector<MessageRange>() : stretches_before(suffix.cut, thread);
  for (const auto first : suffix.dropped) stretches.push_back({first, thread.groups()[thread.group_of(first)].last});
  for (const auto& stretch : stretches) {
    const std::pair range(stretch.first, stretch.last);
    if (handles_.kept().parts.contains(range)) continue;
    for (auto i = range.first; i < range.second; ++i)
      if (handles_.is_large(i)) want_message(i, wanted);
    auto artifact = artifact_of_stretch(messages, stretch, handles_);
    auto reference = reference_in(*archive_, artifact);
    wanted.push_back({std::move(artifact), nullptr, nowhere, nowhere, range, std::move(reference)});
  }
  for (const auto& [message, tokens] : suffix.extracts) want_message(message, wanted);
}

bool ArchivedItems::is_kept(const Wanted& wanted, const Result<std::string>& result) {
  const bool kept = result && *result == wanted.reference;
  if (wanted.item != nowhere) {
    if (!kept) references_[wanted.item].clear();
    artifacts_.set_reference(wanted.item, archive_, references_[wanted.item]);
  } else if (kept) {
    if (wanted.message != nowhere)
      handles_.kept().messages.insert(wanted.message);
    else
      handles_.kept().parts.insert(wanted.stretch);
  } else if (wanted.message != nowhere) {
    handles_.lose(wanted.message);
  }
  if (!kept && !wanted.reference.empty()) lost_.push_back(wanted.reference);
  return kept;
}

bool ArchivedItems::keep(const Verified& verified) {
  if (!archive_ || input_.inputs.is_dry()) return true;
  std::vector<Wanted> wanted;
  want_items(verified, wanted);
  want_messages(verified.filled, wanted);
  auto& before = handles_.kept().all_before;
  const auto cut = verified.filled.parts.suffix.cut;
  if (wanted.empty()) {
    before = cut;
    return true;
  }
  std::vector<const Artifact*> artifacts;
  for (const auto& one : wanted) artifacts.push_back(one.given != nullptr ? one.given : &one.artifact);
  const auto results = keep_all_in(*archive_, artifacts, input_.inputs.call);
  std::size_t lost = 0;
  auto why = ErrorCode::internal;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (is_kept(wanted[k], results[k])) continue;
    if (lost++ == 0 && !results[k]) why = results[k].error().code;
  }
  if (lost == 0) {
    before = cut;
    return true;
  }
  notes_.push_back(std::to_string(lost) +
                   " of the artifacts that are not sent whole could not be stored: " + std::string(to_string(why)));
  return false;
}

void ArchivedItems::withdraw(Filled& filled) const {
  auto& parts = filled.parts;
  auto& index = parts.block.index;
  const auto is_lost = [this](const IndexLine& line) { return references_[line.item].empty(); };
  index.erase(std::remove_if(index.begin(), index.end(), is_lost), index.end());
  input_.prepared.views->forget();
  if (!parts.head.notes) return;
  const auto& counter = *input_.prepared.counter;
  parts.head.tokens -= counter.count_message(*parts.head.notes);
  auto text = text_of(*parts.head.notes);
  for (const auto& reference : lost_) erase_all(text, " <" + reference + ">");
  parts.head.notes->content = std::move(text);
  parts.head.tokens += counter.count_message(*parts.head.notes);
}

}  // namespace ctxmgr::engine
