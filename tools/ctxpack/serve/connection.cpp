#include "serve/connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ctxpack::serve {
namespace {

constexpr int waiting_connections = 512;

thread_local const Connection* current_connection = nullptr;

bool wait_for(socket_t socket, short events, std::chrono::milliseconds timeout) {
  pollfd entry{socket, events, 0};
  while (true) {
    const int ready = poll(&entry, 1, static_cast<int>(timeout.count()));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

using AddressOf = int (*)(int, sockaddr*, socklen_t*);

void read_address(socket_t socket, AddressOf address_of, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (address_of(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    port = ntohs(v6.sin6_port);
  }
  ip = text.data();
}

}  // namespace

Connection::Connection(socket_t socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {
  const int on = 1;  // The pieces of a stream are small, and each is waited for.
  static_cast<void>(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

Connection::~Connection() {
  shutdown(socket_, SHUT_RDWR);
  close(socket_);
}

bool Connection::is_abandoned() const {
  char byte = 0;
  const auto got = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool Connection::wait_for_request(const std::atomic<socket_t>& listening) const {
  constexpr std::chrono::milliseconds slice{100};
  for (auto waited = slice.zero(); waited < limits_.keep_alive && listening != INVALID_SOCKET; waited += slice) {
    if (wait_for(socket_, POLLIN, slice)) return true;
  }
  return false;
}

bool Connection::is_readable() const { return wait_for(socket_, POLLIN, limits_.read_timeout); }

bool Connection::is_writable() const { return wait_for(socket_, POLLOUT, limits_.write_timeout) && !is_abandoned(); }

ssize_t Connection::read(char* bytes, size_t size) {
  if (!is_readable()) return -1;
  while (true) {
    const auto got = recv(socket_, bytes, size, 0);
    if (got >= 0 || errno != EINTR) return got;
  }
}

ssize_t Connection::write(const char* bytes, size_t size) {
  if (!wait_for(socket_, POLLOUT, limits_.write_timeout)) return -1;
  while (true) {
    // Not blocking: the time limit is that of the wait before.
    const auto sent = send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if ((errno == EAGAIN || errno == EWOULDBLOCK) && wait_for(socket_, POLLOUT, limits_.write_timeout)) continue;
    return -1;
  }
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  read_address(socket_, &getpeername, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  read_address(socket_, &getsockname, ip, port);
}

Server::Server(std::size_t threads, ConnectionLimits limits) : limits_(limits) {
  new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
}

int Server::bind(const std::string& host, int port) {
  const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
  if (bound > 0) ::listen(svr_sock_, waiting_connections);
  return bound;
}

const Connection* Server::current() { return current_connection; }

bool Server::process_and_close_socket(socket_t socket) {
  Connection connection(socket, limits_);
  current_connection = &connection;
  bool is_fine = true;
  for (auto left = keep_alive_max_count_; left > 0 && svr_sock_ != INVALID_SOCKET; --left) {
    if (!connection.wait_for_request(svr_sock_)) break;
    bool is_last = false;
    is_fine = process_request(connection, left == 1, is_last, [](httplib::Request& request) {
      request.headers.erase("Accept-Encoding");  // Or the answers of others would be compressed on their way.
      request.ranges.clear();
    });
    if (!is_fine || is_last) break;
  }
  current_connection = nullptr;
  return is_fine;
}

}  // namespace ctxpack::serve
