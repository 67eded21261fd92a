#include "adapters/redis/versions.hpp"

#include "adapters/redis/stored_value.hpp"

namespace ctxmgr::redis {
namespace {

constexpr std::uint64_t versions_at_once = 1'024;

tl::unexpected<Error> data_lost() {
  return fail(ErrorCode::bad_data,
              "redis: the server has lost what was written (restarted without persistence, flushed, or evicting); "
              "open the store again to go on without it");
}

tl::unexpected<Error> unreadable(Pool& pool) {
  pool.close_idle();
  return fail(ErrorCode::bad_data, "redis: the server's version counter is unreadable");
}

}  // namespace

Result<std::uint64_t> Versions::draw(Pool& pool, const CallOptions& call) {
  {
    const std::scoped_lock lock(mutex_);
    if (left_ > 0) return --left_, next_++;
  }
  const auto count = std::to_string(versions_at_once);
  const auto reply = reserve_.run(pool, {"1", key_, count}, call);
  if (!reply) return tl::unexpected(reply.error());
  if ((*reply)->type != REDIS_REPLY_ARRAY || (*reply)->elements != 2) return unreadable(pool);
  const auto first = parse_version(text_of(*(*reply)->element[0]));
  if (!first) return unreadable(pool);
  const std::scoped_lock lock(mutex_);
  if (auto same = compare(std::string(text_of(*(*reply)->element[1]))); !same) return tl::unexpected(same.error());
  next_ = *first + 1;
  left_ = versions_at_once - 1;
  return *first;
}

Result<void> Versions::check() const {
  const std::scoped_lock lock(mutex_);
  if (lost_) return data_lost();
  return {};
}

Result<void> Versions::check_now(Pool& pool, const CallOptions& call) {
  const bool was_known = [this] {
    const std::scoped_lock lock(mutex_);
    return !epoch_.empty();
  }();
  auto request = pool.request();
  request.command({"GET", key_});
  const auto replies = pool.run(std::move(request), key_, call);
  if (!replies) return tl::unexpected(replies.error());
  const auto& reply = *replies->front();
  if (reply.type != REDIS_REPLY_NIL && reply.type != REDIS_REPLY_STRING) return unreadable(pool);
  const auto text = reply.type == REDIS_REPLY_STRING ? text_of(reply) : std::string_view();
  const std::scoped_lock lock(mutex_);
  // Nothing there yet, when it was asked; another caller may have written first and learned the epoch since.
  if (text.empty() && !was_known && !lost_) return {};
  const auto blank = text.find(' ');
  return compare(std::string(blank == text.npos ? std::string_view() : text.substr(blank + 1)));
}

Result<void> Versions::compare(std::string epoch) {
  const bool differs = !epoch_.empty() && epoch != epoch_;
  if (differs && !go_on_when_lost_) lost_ = true;
  if (lost_) return data_lost();
  epoch_ = std::move(epoch);
  return {};
}

}  // namespace ctxmgr::redis
