#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/build/artifact_set.hpp"
#include "engine/history/thread_memo.hpp"
#include "engine/index/fingerprint.hpp"
#include "engine/index/lending_cache.hpp"

namespace ctxmgr::engine {

/// Analyses of threads and artifact lists between builds.
/// Thread-safety: all methods may be called from several threads at once.
class AnalysisCache {
 public:
  explicit AnalysisCache(std::size_t max_bytes) : max_bytes_(max_bytes), kept_(max_bytes) {}

  /// The longest that a thread whose messages have these hashes begins with, counted with this vocabulary; null where there
  /// is none. What is not a beginning of it stays.
  [[nodiscard]] std::unique_ptr<KnownThread> take_beginning(const std::vector<std::uint64_t>& hashes,
                                                            const std::string& tokenizer);
  void put_thread(std::unique_ptr<KnownThread> thread, const std::string& tokenizer);

  /// A set that is a beginning of this list, the longest; null where there is none.
  [[nodiscard]] std::unique_ptr<ArtifactSet> take_artifacts(const std::vector<Fingerprint>& chain,
                                                            const std::string& tokenizer);
  void put_artifacts(std::unique_ptr<ArtifactSet> artifacts, const std::string& tokenizer);

 private:
  struct Entry {
    std::string tokenizer{};
    std::unique_ptr<KnownThread> thread{};
    std::unique_ptr<ArtifactSet> artifacts{};

    [[nodiscard]] static bool are_same(const Entry& a, const Entry& b);
  };

  const std::size_t max_bytes_;
  LendingCache<Entry> kept_;
};

}  // namespace ctxmgr::engine
