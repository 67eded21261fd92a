#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ctxmgr::test {

struct ReceivedRequest {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;
};

/// One accepted connection, for a handler to do its worst with.
class ServerConnection {
 public:
  ServerConnection(int fd, const std::atomic<bool>& stopping, const std::atomic<int>& pause_ms)
      : fd_(fd), stopping_(stopping), pause_ms_(pause_ms) {}

  void send(std::string_view bytes);

  /// A whole HTTP reply; `headers` are lines without their ends.
  void reply(int status, std::string_view body, const std::vector<std::string>& headers = {});

  /// Does nothing until the peer goes away or the server stops.
  void wait_for_end();

  void close();

  /// Closes with a TCP reset.
  void reset();

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  /// Empty path: the peer closed.
  [[nodiscard]] ReceivedRequest read_request();

 private:
  [[nodiscard]] bool fill();

  int fd_;
  const std::atomic<bool>& stopping_;
  const std::atomic<int>& pause_ms_;
  std::string buffer_;
};

/// An HTTP server on the loopback interface that says what its handler says, one thread for each connection. It keeps
/// every request, so that tests can count attempts.
class FaultServer {
 public:
  /// Called for each request; `number` counts from 1, over all connections.
  using Handler = std::function<void(ServerConnection&, const ReceivedRequest&, int number)>;

  explicit FaultServer(Handler handler);
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;
  ~FaultServer();

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::vector<ReceivedRequest> requests() const;
  [[nodiscard]] int attempts() const { return requests_seen_; }
  [[nodiscard]] int connections() const { return connections_seen_; }
  [[nodiscard]] int most_at_once() const { return most_at_once_; }

  /// Reads 64 KiB at a time and rests in between, as the far end of a slow line.
  void read_slowly(int pause_ms) { pause_ms_ = pause_ms; }

  /// Leave the requests themselves out, where there are many.
  void keep_requests(bool keep) { keep_requests_ = keep; }

 private:
  void accept_all();
  void serve(int fd);

  const Handler handler_;
  int port_ = 0;  // Before the listener, which sets it.
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> keep_requests_{true};
  std::atomic<int> pause_ms_{0};
  std::atomic<int> requests_seen_{0};
  std::atomic<int> connections_seen_{0};
  std::atomic<int> open_now_{0};
  std::atomic<int> most_at_once_{0};
  mutable std::mutex mutex_;
  std::vector<ReceivedRequest> requests_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A loopback port that nobody accepts connections from: they are established, and nothing is ever read. When it is
/// `full`, further ones are not even established, as behind a firewall that drops them.
class SilentPort {
 public:
  enum class Backlog { open, full };

  explicit SilentPort(Backlog backlog);
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  ~SilentPort();

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int port_ = 0;
  std::vector<int> descriptors_;
};

/// A port of the loopback interface on which nobody listens.
[[nodiscard]] int unused_port();

/// Open file descriptors of this process.
[[nodiscard]] int open_descriptors();

}  // namespace ctxmgr::test
