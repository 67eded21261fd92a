#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/index/fingerprint.hpp"
#include "engine/index/text_index.hpp"

namespace ctxmgr::engine {

/// An index and what each of its items was made from, as `AnalysisMemo::key` gives it.
struct KeyedIndex {
  TextIndex index;
  std::vector<Fingerprint> keys;
};

/// Keeps the index of the last long list of items, so that a list that has grown costs its new items only. A call takes
/// the index out and puts it back grown; who finds none, or that of another list, begins a new one. Affects time, never
/// results.
///
/// Thread-safety: all member functions may be called concurrently.
class IndexKeeper {
 public:
  /// Indexes that take more than `max_bytes` are not kept.
  explicit IndexKeeper(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// An index for items with these keys: of the first of them, of all of them, or of all and some that come after them.
  [[nodiscard]] std::unique_ptr<KeyedIndex> take(const std::vector<Fingerprint>& keys);

  void put(std::unique_ptr<KeyedIndex> index);

 private:
  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::unique_ptr<KeyedIndex> kept_;
};

}  // namespace ctxmgr::engine
