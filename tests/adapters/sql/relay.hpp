#pragma once
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ctxmgr::testing {

/// Passes connections on to a database server, and can fall silent as one does that is stopped: connections stay open,
/// nothing comes through.
class Relay {
 public:
  explicit Relay(const std::string& url) {
    const auto host_at = url.find('@') + 1;
    const auto path_at = url.find('/', host_at);
    const auto port_at = url.rfind(':', path_at);
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(port_at + 1, path_at - port_at - 1)));
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    auto address = loopback(0);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 64);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = url.substr(0, host_at) + "127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + url.substr(path_at);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() {
    ending_ = true;
    let_go();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (auto& thread : threads_) thread.join();
    ::close(listener_);
  }

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] int connections() const { return connections_; }

  /// From now on nothing comes through, of new connections neither.
  void hold() { set_held(true); }
  void let_go() { set_held(false); }
  /// Closes every connection that there is; new ones are welcome.
  void cut() { ++cuts_; }
  /// Tells PostgreSQL's clients another process id than their server has, as poolers do.
  void forge_process_ids() { forges_ = true; }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void set_held(bool held) {
    const std::scoped_lock lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }

  void wait_while_held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !held_ || ending_; });
  }

  void accept_all() {
    for (int client = 0; (client = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      ++connections_;
      threads_.emplace_back([this, client, cuts = cuts_.load()] { serve(client, cuts); });
    }
  }

  void serve(int client, int cuts) {
    wait_while_held();
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    const auto address = loopback(port_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      while (!ending_ && cuts == cuts_ && pass(client, server, forges_)) wait_while_held();
    }
    ::close(server);
    ::close(client);
  }

  /// False: one of them has hung up.
  static bool pass(int client, int server, bool forges) {
    pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    ::poll(ends, 2, 5);
    for (const int from : {0, 1}) {
      if ((ends[from].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      char buffer[65536];
      const auto size = ::recv(ends[from].fd, buffer, sizeof buffer, 0);
      if (size <= 0) return false;
      const std::string_view key_data("K\0\0\0\x0c", 5);
      const auto at = std::string_view(buffer, static_cast<std::size_t>(size)).find(key_data);
      if (forges && from == 1 && at != std::string_view::npos) ++buffer[at + key_data.size() + 3];
      for (ssize_t sent = 0; sent < size;) {
        const auto more = ::send(ends[1 - from].fd, buffer + sent, static_cast<std::size_t>(size - sent), MSG_NOSIGNAL);
        if (more <= 0) return false;
        sent += more;
      }
    }
    return true;
  }

  std::string url_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> forges_ = false;
  std::atomic<int> cuts_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::thread acceptor_;
  std::vector<std::thread> threads_;
};

}  // namespace ctxmgr::testing
