#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/text_index.hpp"

namespace ctxmgr::engine {

/// Keeps the index of the last long list of items, so that a list that has grown costs its new items only. A call takes
/// the index out and puts it back; who finds none, or that of another list, makes it anew. Affects time, never results.
///
/// Thread-safety: all member functions may be called concurrently.
class IndexKeeper {
 public:
  using Items = std::vector<std::shared_ptr<const ItemAnalysis>>;

  /// Indexes that take more than `max_bytes` are not kept.
  explicit IndexKeeper(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// An index that begins with these items; there may be more behind them. For the caller alone.
  [[nodiscard]] std::unique_ptr<TextIndex> take(const Items& items);

  void put(std::unique_ptr<TextIndex> index);

 private:
  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::unique_ptr<TextIndex> kept_;
};

}  // namespace ctxmgr::engine
