#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ctxmgr::http {

class HeaderList;

using TimePoint = std::chrono::steady_clock::time_point;

/// What is made of a reply.
enum class Delivery {
  read,   ///< Decoded; an event stream piece by piece, anything else whole.
  relay,  ///< Whatever it is: its head as soon as it is there, then its bytes as they come, and not decoded.
};

inline constexpr std::size_t most_waiting_bytes = std::size_t{256} << 10;

/// One POST of JSON, or whatever is relayed.
struct HttpRequest {
  std::string url{};
  std::string body{};
  std::shared_ptr<const HeaderList> headers{};
  Delivery delivery = Delivery::read;
  std::string method{};  ///< The method of a request that is relayed; empty: POST.
};

struct HttpReply {
  int status = 0;
  std::string content_type{};
  std::string retry_after{};
  std::string retry_after_ms{};
  std::string should_retry{};                                  ///< `x-should-retry`.
  std::string request_id{};                                    ///< The service's support finds the request by it.
  std::string body{};                                          ///< Empty where the body was delivered piece by piece.
  std::vector<std::pair<std::string, std::string>> headers{};  ///< All of them, where the reply is relayed.
};

/// Why there is no reply.
enum class TransportFailure {
  none,
  resolve,          ///< No address for the host.
  connect,          ///< Refused, unreachable.
  connect_timeout,  ///< No connection, or no end of its TLS handshake, in time.
  silent,           ///< No bytes for too long.
  broken,           ///< The connection ended early.
  proxy,            ///< The proxy does not let the client through.
  tls,              ///< No trustworthy connection. Never retried with less trust.
  too_large,
  vetoed,     ///< The address is not one that the client may talk to.
  malformed,  ///< Not HTTP, or a content encoding that does not decode.
  other,
};

/// What came of a transfer.
struct TransferResult {
  TransportFailure failure = TransportFailure::none;
  HttpReply reply{};
};

/// Where the thread that runs transfers leaves what concerns one waiting thread.
/// Thread-safety: all methods may be called from several threads at once.
class Mailbox {
 public:
  struct Letter {
    std::size_t ticket = 0;  ///< The transfer that the letter belongs to.
    bool done = false;
    std::string bytes{};                      ///< A stream's next bytes; only where `done` is false.
    TransferResult result{};                  ///< Only where `done` is true.
    std::shared_ptr<const HttpReply> head{};  ///< Comes with the first letter of a reply that is relayed.
  };

  void put(Letter letter);

  /// What has arrived; waits for something until `wake_up`.
  [[nodiscard]] std::deque<Letter> take(TimePoint wake_up);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Letter> letters_;
};

/// One request under way. Whoever submitted it reads the times and may abandon it; the rest belongs to the engine.
struct Transfer {
  Transfer(HttpRequest r, std::shared_ptr<Mailbox> m, std::size_t t)
      : request(std::move(r)), mailbox(std::move(m)), ticket(t) {}

  const HttpRequest request;
  const std::shared_ptr<Mailbox> mailbox;
  const std::size_t ticket;  ///< The waiting thread knows it by this.

  std::atomic<bool> abandoned{false};              ///< Nobody waits any more.
  std::atomic<TimePoint> started_at{TimePoint{}};  ///< Unset while it is queued.
  /// Unset before the first byte of the body: some services send the headers at once and then think.
  std::atomic<TimePoint> last_byte_at{TimePoint{}};

  /// Of the request's body. A slow upload is no silence.
  std::atomic<TimePoint> last_sent_at{TimePoint{}};

  /// Of a reply that is relayed: bytes that nobody has taken from the mailbox yet. Over `most_waiting_bytes` the engine takes
  /// nothing more from the service until the reader says so.
  std::atomic<std::size_t> waiting_bytes{0};
  std::atomic<bool> is_paused{false};
  std::atomic<bool> may_go_on{false};

  bool too_large = false;
  bool vetoed = false;
  bool head_delivered = false;
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
  HttpReply reply{};
};

}  // namespace ctxmgr::http
