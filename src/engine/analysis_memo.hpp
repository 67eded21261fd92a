#pragma once
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/fingerprint.hpp"
#include "engine/item_analysis.hpp"

namespace ctxmgr::engine {

/// Remembers analyses by what they were made from, least recently used out first once they take too much memory.
///
/// Thread-safety: all member functions may be called concurrently.
class AnalysisMemo {
 public:
  explicit AnalysisMemo(std::size_t max_bytes);

  /// The analysis of an item, made by `analyzer` unless it is known. Concurrent misses may both do the work.
  [[nodiscard]] std::shared_ptr<const ItemAnalysis> get(const ItemText& item, TermAnalyzer& analyzer);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    Fingerprint key;
    std::shared_ptr<const ItemAnalysis> analysis;
  };

  struct KeyHash {
    std::size_t operator()(const Fingerprint& key) const { return static_cast<std::size_t>(key.low); }
  };

  [[nodiscard]] std::shared_ptr<const ItemAnalysis> find(const Fingerprint& key);
  void insert(const Fingerprint& key, std::shared_ptr<const ItemAnalysis> analysis);

  const std::size_t max_bytes_;
  const Fingerprint seed_;  ///< Random, so that nobody can prepare two contents with one key.
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< Most recently used first.
  std::unordered_map<Fingerprint, std::list<Entry>::iterator, KeyHash> position_;
  std::size_t bytes_ = 0;
};

}  // namespace ctxmgr::engine
