#pragma once
#include <httplib.h>

#include <atomic>
#include <chrono>

/// \file
/// cpp-httplib tells a handler nothing of its connection. Here a handler can ask whether its client is still there, so that
/// an answer that nobody waits for is not paid for.
namespace ctxpack::serve {

struct ConnectionLimits {
  std::chrono::milliseconds read_timeout{30'000};  ///< Between two pieces of a request.
  std::chrono::milliseconds write_timeout{60'000};
  std::chrono::milliseconds keep_alive{5'000};
};

/// One accepted connection.
class Connection final : public httplib::Stream {
 public:
  /// Takes the socket over.
  Connection(socket_t socket, const ConnectionLimits& limits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override;

  /// Whether the client has closed its end.
  [[nodiscard]] bool is_abandoned() const;

  /// Waits for a request, for as long as the server listens.
  [[nodiscard]] bool wait_for_request(const std::atomic<socket_t>& listening) const;

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  const socket_t socket_;
  const ConnectionLimits limits_;
};

/// A server whose handlers know their connections.
class Server final : public httplib::Server {
 public:
  /// `threads`: how many connections are served at once; further ones wait.
  Server(std::size_t threads, ConnectionLimits limits);

  /// Binds, and takes a queue of connections that is longer than the library's five. Returns the port, or -1.
  [[nodiscard]] int bind(const std::string& host, int port);

  /// Of the request that this thread is handling.
  [[nodiscard]] static const Connection* current();

 private:
  bool process_and_close_socket(socket_t socket) override;

  const ConnectionLimits limits_;
};

}  // namespace ctxpack::serve
