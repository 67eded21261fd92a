#include "http/connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ctxpack::http {
namespace {

bool wait_for(int socket, short events, TimePoint until) {
  pollfd entry{socket, events, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const int ready = poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

std::string address_of_peer(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(), text.size());
  } else if (address.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text.data(), text.size());
  }
  return text.data();
}

Connection::Connection(int socket, std::string address) : socket_(socket), address_(std::move(address)) {
  const int on = 1;  // The pieces of a stream are small, and each is waited for.
  static_cast<void>(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

Connection::~Connection() { close(socket_); }

Connection::Read Connection::read(std::string& bytes, std::size_t most) {
  std::array<char, std::size_t{16} << 10> piece;
  while (true) {
    const auto got = recv(socket_, piece.data(), std::min(most, piece.size()), MSG_DONTWAIT);
    if (got > 0) {
      bytes.append(piece.data(), static_cast<std::size_t>(got));
      return Read::some;
    }
    if (got == 0) return Read::closed;
    if (errno == EINTR) continue;
    return would_block() ? Read::nothing : Read::closed;
  }
}

bool Connection::wait_for_bytes(TimePoint until) const { return wait_for(socket_, POLLIN, until); }

bool Connection::write(std::string_view bytes, std::chrono::milliseconds patience) {
  while (!bytes.empty()) {
    const auto sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (would_block()) {
      if (!wait_for(socket_, POLLOUT, std::chrono::steady_clock::now() + patience)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void Connection::write_now(std::string_view bytes) {
  static_cast<void>(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool Connection::is_abandoned() const {
  char byte = 0;
  const auto got = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && !would_block() && errno != EINTR);
}

void Connection::end_writing() { shutdown(socket_, SHUT_WR); }

void Connection::end() { shutdown(socket_, SHUT_RDWR); }

}  // namespace ctxpack::http
