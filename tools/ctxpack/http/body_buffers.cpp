#include "http/body_buffers.hpp"

#include <algorithm>
#include <utility>

namespace ctxpack::http {
namespace {

/// What is smaller comes from memory that the process has already.
constexpr std::size_t least_bytes = std::size_t{256} << 10;

}  // namespace

std::string BodyBuffers::take(std::size_t bytes) {
  std::string buffer;
  if (bytes < least_bytes) {
    buffer.reserve(bytes);
    return buffer;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto fits = [bytes](const std::string& kept) { return kept.capacity() >= bytes; };
    const auto found = std::find_if(buffers_.rbegin(), buffers_.rend(), fits);
    if (found != buffers_.rend()) {
      buffer = std::move(*found);
      bytes_ -= buffer.capacity();
      buffers_.erase(std::next(found).base());
    }
  }
  constexpr std::size_t share = 8;  // The next request of a thread is a little longer.
  if (buffer.capacity() < bytes) buffer.reserve(bytes + bytes / share);
  return buffer;
}

void BodyBuffers::give_back(std::string buffer) {
  if (buffer.capacity() < least_bytes || buffer.capacity() > most_bytes_) return;
  buffer.clear();
  std::vector<std::string> gone;  // Freed without the lock.
  const std::lock_guard lock(mutex_);
  bytes_ += buffer.capacity();
  buffers_.push_back(std::move(buffer));
  while (bytes_ > most_bytes_) {
    bytes_ -= buffers_.front().capacity();
    gone.push_back(std::move(buffers_.front()));
    buffers_.erase(buffers_.begin());
  }
}

}  // namespace ctxpack::http
