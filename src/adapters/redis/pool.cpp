#include "adapters/redis/pool.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/redis/error.hpp"

namespace ctxmgr::redis {
namespace {

// A larger buffer than this is not kept.
constexpr std::size_t max_kept_buffer_bytes = std::size_t{1} << 20;

bool is_missing_script(const redisReply& reply) { return text_of(reply).starts_with("NOSCRIPT"); }

}  // namespace

Request Pool::request() {
  const std::scoped_lock lock(mutex_);
  if (buffers_.empty()) return Request();
  Request request(std::move(buffers_.back()));
  buffers_.pop_back();
  return request;
}

Result<std::vector<Reply>> Pool::run(Request request, const CallOptions& call) {
  auto connection = take(call);
  if (!connection) return tl::unexpected(connection.error());
  auto replies = (*connection)->run(request, call);
  keep(std::move(request).take_buffer());
  if (!replies) {
    give_back(nullptr);
    return replies;
  }
  for (const auto& reply : *replies) {
    if (!is_error(*reply) || is_missing_script(*reply)) continue;
    give_back(nullptr);
    return tl::unexpected(error_from_reply(text_of(*reply)));
  }
  give_back(*std::move(connection));
  return replies;
}

void Pool::close_idle() {
  const std::scoped_lock lock(mutex_);
  idle_.clear();
}

Result<std::unique_ptr<Connection>> Pool::take(const CallOptions& call) {
  if (auto wanted = check_wanted(call); !wanted) return tl::unexpected(wanted.error());
  std::unique_ptr<Connection> connection;
  {
    std::unique_lock lock(mutex_);
    std::optional<std::chrono::steady_clock::time_point> until;
    while (in_use_ >= std::max<std::size_t>(options_.max_connections, 1)) {
      if (!until) until = std::chrono::steady_clock::now() + options_.socket_timeout;
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();  // the predicate is the caller's code
      auto wanted = check_wanted(call);
      lock.lock();
      if (!wanted) return tl::unexpected(wanted.error());
      if (std::chrono::steady_clock::now() >= *until) {
        return fail(ErrorCode::unavailable, "redis: all connections are in use");
      }
    }
    ++in_use_;
    // One that the server closed, or on which something came unasked, is dropped.
    while (!idle_.empty() && !connection) {
      if (idle_.back()->is_quiet()) connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (connection) return connection;
  auto opened = Connection::open(url_, options_, call);
  if (!opened) give_back(nullptr);
  return opened;
}

void Pool::keep(std::string buffer) {
  if (buffer.capacity() > max_kept_buffer_bytes) return;
  const std::scoped_lock lock(mutex_);
  if (buffers_.size() < options_.max_connections) buffers_.push_back(std::move(buffer));
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::scoped_lock lock(mutex_);
    --in_use_;
    if (connection) idle_.push_back(std::move(connection));
  }
  changed_.notify_one();
}

}  // namespace ctxmgr::redis
