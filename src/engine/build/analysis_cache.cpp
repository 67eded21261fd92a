#include "engine/build/analysis_cache.hpp"

#include <algorithm>

namespace ctxmgr::engine {

AnalysisCache::Entry AnalysisCache::take(std::list<Entry>::iterator entry) {
  Entry taken = std::move(*entry);
  bytes_ -= taken.bytes;
  entries_.erase(entry);
  return taken;
}

std::unique_ptr<KnownThread> AnalysisCache::take_beginning(const std::vector<std::uint64_t>& hashes,
                                                           const std::string& tokenizer) {
  const std::lock_guard lock(mutex_);
  auto best = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (!entry->thread || entry->tokenizer != tokenizer || !entry->thread->analysis.has_read_beginning_of(hashes))
      continue;
    if (best == entries_.end() || entry->thread->analysis.size() > best->thread->analysis.size()) best = entry;
  }
  return best == entries_.end() ? nullptr : take(best).thread;
}

std::unique_ptr<ArtifactSet> AnalysisCache::take_artifacts(const std::vector<Fingerprint>& chain,
                                                           const std::string& tokenizer) {
  const std::lock_guard lock(mutex_);
  auto best = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (!entry->artifacts || entry->tokenizer != tokenizer) continue;
    const auto size = entry->artifacts->size();
    // Each link of the chain stands for all before it.
    if (size == 0 || size > chain.size() || entry->artifacts->chain().back() != chain[size - 1]) continue;
    if (best == entries_.end() || size > best->artifacts->size()) best = entry;
  }
  return best == entries_.end() ? nullptr : take(best).artifacts;
}

void AnalysisCache::put(Entry entry) {
  const std::lock_guard lock(mutex_);
  if (entry.bytes > max_bytes_) return;
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& kept) {
    if (kept.tokenizer != entry.tokenizer) return false;
    if (kept.thread && entry.thread) return kept.thread->analysis.fingerprint() == entry.thread->analysis.fingerprint();
    return kept.artifacts && entry.artifacts && kept.artifacts->size() == entry.artifacts->size() &&
           kept.artifacts->chain().back() == entry.artifacts->chain().back();
  });
  if (same != entries_.end()) take(same);  // Another build made the same one meanwhile.
  entries_.push_front(std::move(entry));
  bytes_ += entries_.front().bytes;
  while (bytes_ > max_bytes_) take(std::prev(entries_.end()));
}

void AnalysisCache::put_thread(std::unique_ptr<KnownThread> thread, const std::string& tokenizer) {
  // What is made again for a few messages goes first, what would be made again for all of them last.
  if (thread->bytes() > max_bytes_) thread->analysis.forget_analyses();
  if (thread->bytes() > max_bytes_) thread->analysis.forget_index();
  const auto bytes = thread->bytes();
  put({tokenizer, std::move(thread), nullptr, bytes});
}

void AnalysisCache::put_artifacts(std::unique_ptr<ArtifactSet> artifacts, const std::string& tokenizer) {
  const auto bytes = artifacts->bytes();
  if (artifacts->size() > 0) put({tokenizer, nullptr, std::move(artifacts), bytes});
}

}  // namespace ctxmgr::engine
