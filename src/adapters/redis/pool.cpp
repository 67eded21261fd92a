#include "adapters/redis/pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/redis/error.hpp"
#include "adapters/servers/server_url.hpp"
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
  auto link = take(at, call);
  if (!link) return tl::unexpected(link.error());
  auto replies = link->connection->run(request, call);
  const bool is_fit = replies && std::none_of(replies->begin(), replies->end(), is_failure);
  connections_.give_back(is_fit ? std::optional(*std::move(link)) : std::nullopt);
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

Result<Pool::Link> Pool::take(const Address& at, const CallOptions& call) {
  const auto is_there = [&](const Link& link) { return link.at == at; };
  // One that the server closed, or on which something came unasked, is dropped.
  const auto is_quiet = [](const Link& link) { return link.connection->is_quiet(); };
  auto idle = connections_.take(call, options_.socket_timeout, is_there, is_quiet);
  if (!idle && idle.error().code == ErrorCode::unavailable)
    return fail(ErrorCode::unavailable, "redis: all connections are in use");
  if (!idle) return tl::unexpected(idle.error());
  if (*idle) return **std::move(idle);
  auto opened = open(at, call);
  if (!opened) connections_.give_back(std::nullopt);
  return opened;
}

Result<Pool::Link> Pool::open(const Address& at, const CallOptions& call) {
  auto url = url_;
  url.host = at.host;
  url.port = at.port;
  auto opened = Connection::open(url, options_, call);
  if (opened) {
    if (auto warned = warn_of_eviction(**opened, at, call); !warned) opened = tl::unexpected(warned.error());
  }
  if (opened) return Link{at, *std::move(opened)};
  // Of its URL alone: what a cluster's node calls another one are a server's words.
  if (opened.error().code == ErrorCode::unavailable && at == Address{url_.host, url_.port})
    opened.error().message += server_place(at.host, std::to_string(at.port), std::to_string(url_.database));
  return tl::unexpected(opened.error());
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

void Pool::keep(std::string buffer) {
  if (buffer.capacity() > max_kept_buffer_bytes) return;
  const std::scoped_lock lock(mutex_);
  if (buffers_.size() < options_.max_connections) buffers_.push_back(std::move(buffer));
}

}  // namespace ctxmgr::redis
