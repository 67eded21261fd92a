#include "adapters/redis/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "adapters/redis/error.hpp"
#include "ports/deadline.hpp"

namespace ctxmgr::redis {
namespace {

using std::chrono::milliseconds;

// Between two looks at the caller's cancellation.
constexpr milliseconds poll_interval{20};

// A reply of this size or of this many elements is nothing that was asked for.
constexpr std::size_t max_reply_bytes = std::size_t{512} << 20;
constexpr long long max_reply_elements = 4'000'000;

// Room for replies that a connection keeps for the next one.
constexpr std::size_t max_idle_buffer_bytes = std::size_t{1} << 20;

// As much as this is read before the caller's deadline and cancellation are looked at again.
constexpr int chunks_between_looks = 64;

tl::unexpected<Error> unavailable(const char* what) {
  return fail(ErrorCode::unavailable, std::string("redis: ") + what);
}

/// hiredis' own functions that make replies; known from the first reader on.
const redisReplyObjectFunctions& reply_functions(const redisReader* reader = nullptr) {
  static const auto functions = *reader->fn;
  return functions;
}

/// hiredis makes room for as many elements as a reply announces; this refuses to believe everything.
template <class Count>
void* create_limited_array(const redisReadTask* task, Count elements) {
  return static_cast<long long>(elements) > max_reply_elements ? nullptr
                                                               : reply_functions().createArray(task, elements);
}

redisReplyObjectFunctions limited_functions(const redisReader* reader) {
  auto functions = reply_functions(reader);
  functions.createArray = create_limited_array;
  return functions;
}

}  // namespace

Connection::Connection(const RedisOptions& options, redisContext* context) : options_(options), context_(context) {
  static auto limited = limited_functions(context->reader);
  context->reader->fn = &limited;
  context->reader->maxbuf = max_idle_buffer_bytes;
}

Result<std::unique_ptr<Connection>> Connection::open(const Url& url, const RedisOptions& options,
                                                     const CallOptions& call) {
  redisContext* context = redisConnectNonBlock(url.host.c_str(), url.port);
  if (!context) return fail(ErrorCode::unavailable, "redis: no memory for a connection");
  if (context->err != 0) {
    redisFree(context);
    return unavailable("cannot connect");
  }
  std::unique_ptr<Connection> connection(new Connection(options, context));
  auto ready = connection->connect(call);
  if (ready && url.tls) ready = connection->secure(url, call);
  if (ready) ready = connection->greet(url, call);
  if (!ready) return tl::unexpected(ready.error());
  return connection;
}

Result<void> Connection::connect(const CallOptions& call) {
  const auto until = std::chrono::steady_clock::now() + options_.connect_timeout;
  if (auto waited = wait(POLLOUT, options_.connect_timeout, until, call); !waited) return waited;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(context_->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
    return unavailable("cannot connect");
  }
  context_->flags |= REDIS_CONNECTED;
  redisEnableKeepAlive(context_.get());
  return {};
}

Result<void> Connection::secure(const Url& url, const CallOptions& call) {
  auto tls = Tls::create(url.host, options_.ca_file);
  if (!tls) return tl::unexpected(tls.error());
  tls_ = *std::move(tls);
  const auto until = std::chrono::steady_clock::now() + options_.connect_timeout;
  while (true) {
    const auto done = tls_->shake_hands();
    if (auto sent = send_bytes(tls_->take_output(), call, until); !sent) return sent;
    if (!done) return tl::unexpected(done.error());
    if (*done) return {};
    if (auto waited = wait(POLLIN, options_.connect_timeout, until, call); !waited) return waited;
    const auto received = receive_bytes();
    if (!received) return tl::unexpected(received.error());
    tls_->feed(*received);
  }
}

Result<void> Connection::greet(const Url& url, const CallOptions& call) {
  std::string room;
  room.reserve(url.user.size() + url.password.size() + 128);  // growing would leave copies of the password behind
  Request request(std::move(room));
  if (!url.password.empty()) {
    if (url.user.empty()) request.command({"AUTH", url.password});
    if (!url.user.empty()) request.command({"AUTH", url.user, url.password});
  }
  if (url.database != 0) request.command({"SELECT", std::to_string(url.database)});
  if (request.commands() == 0) return {};
  auto replies = run(request, call);
  auto sent = std::move(request).take_buffer();
  wipe(sent);
  if (!replies) return tl::unexpected(replies.error());
  for (std::size_t i = 0; i < replies->size(); ++i) {
    const auto& reply = *(*replies)[i];
    if (!is_error(reply)) continue;
    auto error = error_from_reply(text_of(reply));
    if (error.code == ErrorCode::bad_data) {
      const bool is_password = i == 0 && !url.password.empty();
      error.code = is_password ? ErrorCode::denied : ErrorCode::invalid_argument;
    }
    return tl::unexpected(std::move(error));
  }
  return {};
}

Result<std::vector<Reply>> Connection::run(const Request& request, const CallOptions& call) {
  const auto until = std::chrono::steady_clock::now() + 10 * options_.socket_timeout;
  if (auto sent = send(request.bytes(), call, until); !sent) return tl::unexpected(sent.error());
  std::vector<Reply> replies;
  replies.reserve(request.commands());
  while (replies.size() < request.commands()) {
    auto reply = receive(call, until);
    if (!reply) return tl::unexpected(reply.error());
    replies.push_back(*std::move(reply));
  }
  return replies;
}

bool Connection::is_quiet() const {
  if (context_->reader->pos != context_->reader->len) return false;  // came with the last reply
  pollfd poll_for{context_->fd, POLLIN, 0};
  return ::poll(&poll_for, 1, 0) == 0;
}

Result<void> Connection::send(std::string_view bytes, const CallOptions& call, SteadyTime until) {
  if (!tls_) return send_bytes(bytes, call, until);
  if (auto encrypted = tls_->encrypt(bytes); !encrypted) return encrypted;
  return send_bytes(tls_->take_output(), call, until);
}

Result<void> Connection::send_bytes(std::string_view bytes, const CallOptions& call, SteadyTime until) {
  while (!bytes.empty()) {
    // Not by hiredis, which copies everything once more, and whose writing to a closed connection raises SIGPIPE.
    const auto sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto waited = wait(POLLOUT, options_.socket_timeout, until, call); !waited) return waited;
    } else if (errno != EINTR) {
      return unavailable("the connection failed");
    }
  }
  return {};
}

Result<Reply> Connection::receive(const CallOptions& call, SteadyTime until) {
  bool expects_more = false;
  for (int chunk = 0;; ++chunk) {
    void* reply = nullptr;
    if (redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK) return tl::unexpected(check_context().error());
    if (reply) return Reply(static_cast<redisReply*>(reply));
    if (context_->reader->len > max_reply_bytes) {
      return fail(ErrorCode::limit_exceeded, "redis: a reply over 512 MiB");
    }
    if (!expects_more || chunk % chunks_between_looks == 0) {
      if (auto waited = wait(POLLIN, options_.socket_timeout, until, call); !waited) {
        return tl::unexpected(waited.error());
      }
    }
    const auto received = receive_bytes();
    if (!received) return tl::unexpected(received.error());
    expects_more = received->size() == buffer_.size();
    if (auto fed = feed_reader(*received); !fed) return tl::unexpected(fed.error());
  }
}

Result<void> Connection::feed_reader(std::string_view received) {
  std::string plain;
  if (tls_) {
    tls_->feed(received);
    auto decrypted = tls_->decrypt();
    if (!decrypted) return tl::unexpected(decrypted.error());
    plain = *std::move(decrypted);
    received = plain;
  }
  if (!received.empty() && redisReaderFeed(context_->reader, received.data(), received.size()) != REDIS_OK) {
    return fail(ErrorCode::limit_exceeded, "redis: a reply does not fit into memory");
  }
  return {};
}

Result<std::string_view> Connection::receive_bytes() {
  const auto size = ::recv(context_->fd, buffer_.data(), buffer_.size(), 0);
  if (size > 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(size));
  if (size == 0) return unavailable("the server closed the connection");
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return std::string_view();
  return unavailable("the connection failed");
}

Result<void> Connection::wait(short events, milliseconds idle_timeout, SteadyTime until, const CallOptions& call) {
  auto now = std::chrono::steady_clock::now();
  const auto silent_until = std::min(now + idle_timeout, until);
  for (;; now = std::chrono::steady_clock::now()) {
    if (auto wanted = check_wanted(call); !wanted) return wanted;
    if (now >= silent_until) return unavailable("no answer in time");
    auto next = std::min(silent_until, now + poll_interval);
    if (call.deadline) next = std::min(next, *call.deadline);
    const auto left = std::chrono::ceil<milliseconds>(next - now);
    pollfd poll_for{context_->fd, events, 0};
    const int ready = ::poll(&poll_for, 1, static_cast<int>(left.count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return unavailable("poll failed");
  }
}

Result<void> Connection::check_context() const {
  switch (context_->err) {
    case REDIS_ERR_PROTOCOL: return fail(ErrorCode::bad_data, "redis: the server does not speak its protocol");
    case REDIS_ERR_OOM: return fail(ErrorCode::limit_exceeded, "redis: a reply does not fit into memory");
    case REDIS_ERR_EOF: return unavailable("the server closed the connection");
    default: return unavailable("the connection failed");
  }
}

}  // namespace ctxmgr::redis
