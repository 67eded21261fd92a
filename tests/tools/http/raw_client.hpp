#pragma once
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace ctxpack::http::test {

/// Bytes to a port of this machine and back, with nothing in between that would mend them.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { close(socket_); }

  /// False where the other end takes no more.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Everything until the other end closes, or is silent for ten seconds.
  [[nodiscard]] std::string read_all() const { return read_until("\n\n never"); }

  /// Until these bytes have come.
  [[nodiscard]] std::string read_until(std::string_view end) const {
    constexpr int patience_ms = 10'000;
    std::string all;
    std::array<char, 4'096> piece{};
    pollfd entry{socket_, POLLIN, 0};
    while (all.find(end) == std::string::npos && poll(&entry, 1, patience_ms) > 0) {
      const auto got = recv(socket_, piece.data(), piece.size(), 0);
      if (got <= 0) break;
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  const int socket_;
};

/// How many answers stand in there.
inline std::size_t answers_in(const std::string& bytes) {
  std::size_t count = 0;
  for (auto at = bytes.find("HTTP/1.1 "); at != std::string::npos; at = bytes.find("HTTP/1.1 ", at + 1)) ++count;
  return count;
}

}  // namespace ctxpack::http::test
