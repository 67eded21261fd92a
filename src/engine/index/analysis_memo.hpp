#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/index/fingerprint.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Remembers analyses by what they were made from; once they take too much memory, the least recently used ones go, a
/// quarter of the memory at a time.
///
/// Thread-safety: all member functions may be called concurrently.
class AnalysisMemo {
 public:
  explicit AnalysisMemo(std::size_t max_bytes);

  /// Stands for everything that the analysis of an item depends on, as long as this memo lives.
  [[nodiscard]] Fingerprint key(const ItemText& item) const;

  /// The analysis of an item with this key, made by `analyzer` unless it is known. Concurrent misses may both do the work.
  [[nodiscard]] std::shared_ptr<const ItemAnalysis> get(const ItemText& item, const Fingerprint& key,
                                                        TermAnalyzer& analyzer);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const ItemAnalysis> analysis;
    std::uint64_t used = 0;  ///< The larger, the later.
  };
  struct KeyHash {
    std::size_t operator()(const Fingerprint& key) const { return static_cast<std::size_t>(key.low); }
  };

  [[nodiscard]] std::shared_ptr<const ItemAnalysis> find(const Fingerprint& key);
  void insert(const Fingerprint& key, std::shared_ptr<const ItemAnalysis> analysis);
  void make_room();

  const std::size_t max_bytes_;
  const Fingerprint seed_;  ///< Random, so that nobody can prepare two contents with one key.
  mutable std::mutex mutex_;
  std::unordered_map<Fingerprint, Entry, KeyHash> entries_;
  std::uint64_t uses_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ctxmgr::engine
