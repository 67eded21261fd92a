#pragma once
#include <cstddef>
#include <memory>

#include "engine/index/content_memo.hpp"
#include "engine/index/fingerprint.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Remembers analyses by what they were made from.
///
/// Thread-safety: all member functions may be called concurrently.
class AnalysisMemo {
 public:
  /// 0: nothing is kept.
  explicit AnalysisMemo(std::size_t max_bytes) : analyses_(max_bytes) {}

  /// Stands for everything that the analysis of an item depends on, as long as this memo lives.
  [[nodiscard]] Fingerprint key(const ItemText& item) const;

  /// The analysis of an item with this key, made by `analyzer` unless it is known. Concurrent misses may both do the work.
  [[nodiscard]] std::shared_ptr<const ItemAnalysis> get(const ItemText& item, const Fingerprint& key,
                                                        TermAnalyzer& analyzer);

  [[nodiscard]] std::size_t bytes() const { return analyses_.bytes(); }

 private:
  ContentMemo<ItemAnalysis> analyses_;
};

}  // namespace ctxmgr::engine
