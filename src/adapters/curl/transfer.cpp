#include "adapters/curl/transfer.hpp"

namespace ctxmgr::http {

void Mailbox::put(Letter letter) {
  {
    const std::lock_guard lock(mutex_);
    // Pieces of one stream are joined, so that a slow reader is not outrun by their number.
    if (!letter.done && !letters_.empty() && !letters_.back().done && letters_.back().ticket == letter.ticket) {
      letters_.back().bytes += letter.bytes;
    } else {
      letters_.push_back(std::move(letter));
    }
  }
  arrived_.notify_one();
}

std::deque<Mailbox::Letter> Mailbox::take(TimePoint wake_up) {
  std::unique_lock lock(mutex_);
  arrived_.wait_until(lock, wake_up, [this] { return !letters_.empty(); });
  return std::exchange(letters_, {});
}

}  // namespace ctxmgr::http
