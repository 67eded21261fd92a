#include "adapters/sql/watchdog.hpp"

#include <sys/socket.h>

#include <algorithm>

#include "core/signals_blocked.hpp"

namespace ctxmgr::sql {

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Watchdog::Watch::begin(Time time) {
  const std::scoped_lock lock(dog_.mutex_);
  if (!until_) dog_.watches_.push_back(this);
  until_ = time;
  if (!dog_.thread_.joinable()) {
    const SignalsBlocked blocked;
    dog_.thread_ = std::thread([&dog = dog_] { dog.run(); });
  }
  dog_.changed_.notify_one();
}

void Watchdog::Watch::rest() {
  const std::scoped_lock lock(dog_.mutex_);
  if (!until_) return;
  until_.reset();
  dog_.watches_.erase(std::find(dog_.watches_.begin(), dog_.watches_.end(), this));
}

bool Watchdog::Watch::has_bitten() const {
  const std::scoped_lock lock(dog_.mutex_);
  return has_bitten_;
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const auto now = std::chrono::steady_clock::now();
    std::optional<Time> next;
    for (Watch* watch : watches_) {
      if (*watch->until_ > now) {
        next = next ? std::min(*next, *watch->until_) : *watch->until_;
      } else if (!watch->has_bitten_) {
        // Under the lock: the socket cannot be closed, and its number not be another's, before the watch rests.
        ::shutdown(watch->socket_, SHUT_RDWR);
        watch->has_bitten_ = true;
      }
    }
    if (next) {
      changed_.wait_until(lock, *next);
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace ctxmgr::sql
