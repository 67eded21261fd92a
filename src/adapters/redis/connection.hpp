#pragma once
#include <hiredis/hiredis.h>

#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "adapters/redis/request.hpp"
#include "adapters/redis/tls.hpp"
#include "adapters/redis/url.hpp"
#include "ctxmgr/adapters/redis_key_value_store.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::redis {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

[[nodiscard]] inline bool is_error(const redisReply& reply) { return reply.type == REDIS_REPLY_ERROR; }
[[nodiscard]] inline std::string_view text_of(const redisReply& reply) { return {reply.str, reply.len}; }

/// One connection to a server. After any failure it is of no further use: a late reply could still be on its way.
/// Thread-safety: one thread at a time.
class Connection {
 public:
  /// Connects, authenticates and chooses the database.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const Url& url, const RedisOptions& options,
                                                                const CallOptions& call);

  /// Sends all commands at once; the i-th reply answers the i-th command, and may be an error reply.
  [[nodiscard]] Result<std::vector<Reply>> run(const Request& request, const CallOptions& call);

  /// Whether nothing has come from the server since the last reply, not even the end of the connection.
  [[nodiscard]] bool is_quiet() const;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  Connection(const RedisOptions& options, redisContext* context);
  Result<void> connect(const CallOptions& call);
  Result<void> secure(const Url& url, const CallOptions& call);
  Result<void> greet(const Url& url, const CallOptions& call);
  Result<void> send(std::string_view bytes, const CallOptions& call, SteadyTime until);
  Result<void> send_bytes(std::string_view bytes, const CallOptions& call, SteadyTime until);
  Result<Reply> receive(const CallOptions& call, SteadyTime until);
  Result<void> feed_reader(std::string_view received);
  Result<std::string_view> receive_bytes();
  Result<void> wait(short events, std::chrono::milliseconds idle_timeout, SteadyTime until, const CallOptions& call);
  Result<void> check_context() const;

  RedisOptions options_;
  std::unique_ptr<redisContext, FreeContext> context_;
  std::unique_ptr<Tls> tls_;  // null: not encrypted
  std::array<char, std::size_t{16} << 10> buffer_{};
};

}  // namespace ctxmgr::redis
