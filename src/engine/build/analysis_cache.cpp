#include "engine/build/analysis_cache.hpp"

#include <utility>

namespace ctxmgr::engine {

bool AnalysisCache::Entry::are_same(const Entry& a, const Entry& b) {
  if (a.tokenizer != b.tokenizer) return false;
  if (a.thread && b.thread) return a.thread->analysis.fingerprint() == b.thread->analysis.fingerprint();
  return a.artifacts && b.artifacts && a.artifacts->size() == b.artifacts->size() &&
         a.artifacts->chain().back() == b.artifacts->chain().back();
}

std::unique_ptr<KnownThread> AnalysisCache::take_beginning(const std::vector<std::uint64_t>& hashes,
                                                           const std::string& tokenizer) {
  auto found = kept_.take([&](const Entry& kept) -> std::size_t {
    const bool fits = kept.thread && kept.tokenizer == tokenizer && kept.thread->analysis.has_read_beginning_of(hashes);
    return fits ? 1 + kept.thread->analysis.size() : 0;
  });
  return found ? std::move(found->thread) : nullptr;
}

std::unique_ptr<ArtifactSet> AnalysisCache::take_artifacts(const std::vector<Fingerprint>& chain,
                                                           const std::string& tokenizer) {
  auto found = kept_.take([&](const Entry& kept) -> std::size_t {
    if (!kept.artifacts || kept.tokenizer != tokenizer) return 0;
    const auto size = kept.artifacts->size();
    // Each link of the chain stands for all before it.
    return size <= chain.size() && kept.artifacts->chain().back() == chain[size - 1] ? size : 0;
  });
  return found ? std::move(found->artifacts) : nullptr;
}

void AnalysisCache::put_thread(std::unique_ptr<KnownThread> thread, const std::string& tokenizer) {
  // What is made again for a few messages goes first, what would be made again for all of them last.
  if (thread->bytes() > max_bytes_) thread->analysis.forget_analyses();
  if (thread->bytes() > max_bytes_) thread->analysis.forget_index();
  const auto bytes = thread->bytes();
  kept_.put({tokenizer, std::move(thread), nullptr}, bytes, Entry::are_same);
}

void AnalysisCache::put_artifacts(std::unique_ptr<ArtifactSet> artifacts, const std::string& tokenizer) {
  if (artifacts->size() == 0) return;  // so that each has a last link
  const auto bytes = artifacts->bytes();
  kept_.put({tokenizer, nullptr, std::move(artifacts)}, bytes, Entry::are_same);
}

}  // namespace ctxmgr::engine
