#include "engine/index/index_keeper.hpp"

#include <algorithm>
#include <utility>

namespace ctxmgr::engine {
namespace {

// A shorter list is indexed as fast as it is looked up, and would only drive out a longer one.
constexpr std::size_t least_kept_items = 64;

bool begin_alike(const std::vector<Fingerprint>& a, const std::vector<Fingerprint>& b) {
  const auto common = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return std::equal(a.begin(), a.begin() + common, b.begin());
}

}  // namespace

std::unique_ptr<KeyedIndex> IndexKeeper::take(const std::vector<Fingerprint>& keys) {
  if (keys.size() >= least_kept_items) {
    const std::lock_guard lock(mutex_);
    if (kept_ != nullptr && begin_alike(kept_->keys, keys)) return std::move(kept_);
  }
  return std::make_unique<KeyedIndex>();
}

void IndexKeeper::put(std::unique_ptr<KeyedIndex> index) {
  if (index->keys.size() < least_kept_items || index->index.bytes() > max_bytes_) return;
  const std::lock_guard lock(mutex_);
  kept_.swap(index);  // The older one, if any, goes when the lock is open again.
}

}  // namespace ctxmgr::engine
