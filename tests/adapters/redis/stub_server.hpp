#pragma once
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace ctxmgr::testing {

/// A server that answers whatever it is told to: what came on which connection (counted from 0) goes in, the bytes to
/// send come out. `hang_up` closes the connection.
class StubServer {
 public:
  using Answer = std::function<std::string(int connection, const std::string& request)>;
  static constexpr const char* hang_up = "hang up";

  explicit StubServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 16);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }

  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  ~StubServer() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }

  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void serve() {
    std::vector<pollfd> sockets{{listener_, POLLIN, 0}};
    std::vector<int> numbers{-1};
    while (!stop_) {
      if (::poll(sockets.data(), sockets.size(), 10) <= 0) continue;
      if (sockets[0].revents != 0) {
        sockets.push_back({::accept(listener_, nullptr, nullptr), POLLIN, 0});
        numbers.push_back(connections_++);
        continue;
      }
      for (std::size_t i = 1; i < sockets.size(); ++i) {
        if (sockets[i].revents == 0) continue;
        std::array<char, 65'536> buffer{};
        const auto size = ::recv(sockets[i].fd, buffer.data(), buffer.size(), 0);
        const auto reply =
            size > 0 ? answer_(numbers[i], std::string(buffer.data(), static_cast<std::size_t>(size))) : hang_up;
        if (reply == hang_up) {
          ::close(sockets[i].fd);
          sockets[i].fd = -1;
        } else {
          (void)::send(sockets[i].fd, reply.data(), reply.size(), MSG_NOSIGNAL);
        }
      }
    }
    for (std::size_t i = 1; i < sockets.size(); ++i) ::close(sockets[i].fd);
  }

  Answer answer_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace ctxmgr::testing
