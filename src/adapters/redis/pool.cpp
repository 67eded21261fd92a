#include "adapters/redis/pool.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "adapters/redis/error.hpp"
#include "adapters/url/server_place.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr::redis {
namespace {

// A larger buffer than this is not kept.
constexpr std::size_t max_kept_buffer_bytes = std::size_t{1} << 20;

// While a cluster is rearranged, one redirection may lead to the next.
constexpr int max_hops = 3;

constexpr std::string_view policy_field = "maxmemory_policy:";
constexpr std::string_view harmless_policy = "noeviction";

/// From what INFO says; empty where it does not say, or nothing is allowed to ask.
std::string_view policy_of(std::string_view info) {
  const auto found = info.find(policy_field);
  if (found == info.npos) return {};
  info.remove_prefix(found + policy_field.size());
  return info.substr(0, info.find_first_of("\r\n"));
}

bool is_failure(const Reply& reply) { return is_error(*reply) && !text_of(*reply).starts_with("NOSCRIPT"); }

}  // namespace

Request Pool::request() {
  const std::scoped_lock lock(mutex_);
  if (buffers_.empty()) return Request();
  Request request(std::move(buffers_.back()));
  buffers_.pop_back();
  return request;
}

Result<std::vector<Reply>> Pool::run(Request request, std::string_view key, const CallOptions& call) {
  auto replies = follow(request, key, call);
  keep(std::move(request).take_buffer());
  return replies;
}

Result<std::vector<Reply>> Pool::follow(const Request& request, std::string_view key, const CallOptions& call) {
  auto at = address_of(key);
  for (int hop = 0;; ++hop) {
    auto replies = ask(at, request, call);
    if (!replies) {
      forget(at);  // its slots may be another node's by now: the server of the URL knows
      return replies;
    }
    const auto failed = std::find_if(replies->begin(), replies->end(), is_failure);
    if (failed == replies->end()) return replies;
    auto moved = parse_moved(text_of(**failed));
    if (!moved || hop == max_hops) return tl::unexpected(error_from_reply(text_of(**failed)));
    if (moved->to.host.empty()) moved->to.host = at.host;
    at = moved->to;
    const std::scoped_lock lock(mutex_);
    moved_[moved->slot] = at;
  }
}

Result<std::vector<Reply>> Pool::ask(const Address& at, const Request& request, const CallOptions& call) {
  auto connection = take(at, call);
  if (!connection) return tl::unexpected(connection.error());
  auto replies = (*connection)->run(request, call);
  if (!replies || std::any_of(replies->begin(), replies->end(), is_failure)) connection->reset();
  give_back({at, *std::move(connection)});
  return replies;
}

Address Pool::address_of(std::string_view key) {
  const std::scoped_lock lock(mutex_);
  const auto moved = moved_.empty() ? moved_.end() : moved_.find(slot_of(key));
  return moved == moved_.end() ? Address{url_.host, url_.port} : moved->second;
}

void Pool::forget(const Address& at) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(moved_, [&](const auto& moved) { return moved.second == at; });
}

void Pool::close_idle() {
  const std::scoped_lock lock(mutex_);
  idle_.clear();
}

Result<std::unique_ptr<Connection>> Pool::take(const Address& at, const CallOptions& call) {
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
    connection = find_idle(at);
  }
  if (connection) return connection;
  auto url = url_;
  url.host = at.host;
  url.port = at.port;
  auto opened = Connection::open(url, options_, call);
  if (opened) {
    if (auto warned = warn_of_eviction(**opened, at, call); !warned) opened = tl::unexpected(warned.error());
  }
  if (!opened) give_back({});
  // Of its URL alone: what a cluster's node calls another one are a server's words.
  if (!opened && opened.error().code == ErrorCode::unavailable && at == Address{url_.host, url_.port})
    opened.error().message += server_place(at.host, std::to_string(at.port), std::to_string(url_.database));
  return opened;
}

/// INFO rather than CONFIG, which hosted servers forbid more often.
Result<void> Pool::warn_of_eviction(Connection& connection, const Address& at, const CallOptions& call) {
  const auto is_known = [&] { return std::find(asked_.begin(), asked_.end(), at) != asked_.end(); };
  if (!options_.observer || options_.go_on_when_lost) return {};
  {
    const std::scoped_lock lock(mutex_);
    if (is_known()) return {};
  }
  const auto replies = connection.run(Request().command({"INFO", "memory"}), call);
  if (!replies) return tl::unexpected(replies.error());
  {
    const std::scoped_lock lock(mutex_);
    if (is_known()) return {};
    asked_.push_back(at);
  }
  const auto& reply = *replies->front();
  const auto policy = reply.type == REDIS_REPLY_STRING ? policy_of(text_of(reply)) : std::string_view();
  if (policy.empty() || policy == harmless_policy) return {};
  const auto text = "redis: the server at " + at.host + ':' + std::to_string(at.port) + " has maxmemory-policy " +
                    std::string(policy) + ": what it evicts is lost; state needs noeviction";
  (void)guarded([&]() -> Result<void> {
    options_.observer->on_event({EventKind::warning, {}, {{"text", std::string_view(text)}}});
    return {};
  });
  return {};
}

std::unique_ptr<Connection> Pool::find_idle(const Address& at) {
  for (auto i = idle_.size(); i-- > 0;) {
    if (idle_[i].at != at) continue;
    auto connection = std::move(idle_[i].connection);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    // One that the server closed, or on which something came unasked, is dropped.
    if (connection->is_quiet()) return connection;
  }
  // A new one: those to other nodes make room.
  if (!idle_.empty() && in_use_ + idle_.size() > options_.max_connections) idle_.erase(idle_.begin());
  return nullptr;
}

void Pool::keep(std::string buffer) {
  if (buffer.capacity() > max_kept_buffer_bytes) return;
  const std::scoped_lock lock(mutex_);
  if (buffers_.size() < options_.max_connections) buffers_.push_back(std::move(buffer));
}

void Pool::give_back(Idle idle) {
  {
    const std::scoped_lock lock(mutex_);
    --in_use_;
    if (idle.connection) idle_.push_back(std::move(idle));
  }
  changed_.notify_one();
}

}  // namespace ctxmgr::redis
