#include "engine/index_keeper.hpp"

#include <algorithm>
#include <utility>

namespace ctxmgr::engine {
namespace {

// A shorter list is indexed faster than it is compared, and would only drive out a longer one.
constexpr std::size_t least_kept_items = 64;

// Equal contents have one analysis as long as the memo remembers it; where it was made again, so is the index.
bool agree(const TextIndex& index, const IndexKeeper::Items& items) {
  const std::size_t common = std::min(index.size(), items.size());
  for (std::size_t i = 0; i < common; ++i)
    if (&index.item(i) != items[i].get()) return false;
  return true;
}

}  // namespace

std::unique_ptr<TextIndex> IndexKeeper::take(const Items& items) {
  std::unique_ptr<TextIndex> index;
  if (items.size() >= least_kept_items) {
    const std::lock_guard lock(mutex_);
    if (kept_ != nullptr && agree(*kept_, items)) index = std::move(kept_);
  }
  if (index == nullptr) index = std::make_unique<TextIndex>();
  for (std::size_t i = index->size(); i < items.size(); ++i) index->append(items[i]);
  return index;
}

void IndexKeeper::put(std::unique_ptr<TextIndex> index) {
  if (index->size() < least_kept_items || index->bytes() > max_bytes_) return;
  const std::lock_guard lock(mutex_);
  kept_.swap(index);  // The older one, if any, goes when the lock is open again.
}

}  // namespace ctxmgr::engine
