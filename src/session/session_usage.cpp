#include "session/session_usage.hpp"

#include <algorithm>

namespace ctxmgr {

Result<void> SessionUsage::charge(std::size_t bytes, const std::function<Result<Counted>()>& count) {
  auto answer = try_charge(bytes);
  if (answer == Answer::count_first) {
    const auto counted = count();  // no lock is held while the store works
    if (!counted) return tl::unexpected(counted.error());
    {
      const std::scoped_lock lock(mutex_);
      used_bytes_ = counted->bytes;
      writes_left_ = std::max(writes_between_counts, counted->entries / entries_counted_per_write);
      refusals_left_ = std::max(refusals_between_counts, counted->entries / entries_counted_per_write);
    }
    answer = try_charge(bytes);
  }
  if (answer == Answer::granted) return {};
  return fail(ErrorCode::limit_exceeded, "the session is full");
}

void SessionUsage::recount() {
  const std::scoped_lock lock(mutex_);
  refusals_left_ = 0;
}

SessionUsage::Answer SessionUsage::try_charge(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (writes_left_ == 0) return Answer::count_first;
  if (used_bytes_ + bytes > max_bytes_) {
    if (refusals_left_ == 0) return Answer::count_first;
    --refusals_left_;
    return Answer::refused;
  }
  --writes_left_;
  used_bytes_ += bytes;
  return Answer::granted;
}

}  // namespace ctxmgr
