#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace ctxpack::http {

using TimePoint = std::chrono::steady_clock::time_point;

/// One accepted connection. Used by one thread at a time, but for `end()`.
class Connection {
 public:
  enum class Read { some, nothing, closed };

  /// Takes the socket over. `address`: of the client, without its port.
  Connection(int socket, std::string address);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Appends what is there, at most `most` bytes, without waiting.
  Read read(std::string& bytes, std::size_t most);

  /// Waits for bytes or the end; false where neither came in time.
  [[nodiscard]] bool wait_for_bytes(TimePoint until) const;

  /// All of it; false where the client is gone, or has taken nothing for that long.
  [[nodiscard]] bool write(std::string_view bytes, std::chrono::milliseconds patience);
  /// As much as goes without waiting.
  void write_now(std::string_view bytes);

  /// Whether the client has closed its end.
  [[nodiscard]] bool is_abandoned() const;

  /// Says that nothing more will be written.
  void end_writing();

  /// Ends it both ways: whoever waits for the client waits no longer. From any thread.
  void end();

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  const int socket_;
  const std::string address_;
};

/// "127.0.0.1" of the other end of a socket; empty where it has none.
[[nodiscard]] std::string address_of_peer(int socket);

}  // namespace ctxpack::http
