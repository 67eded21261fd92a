#include "support/fault_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace ctxmgr::test {
namespace {

constexpr int poll_ms = 10;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int listen_on_loopback(int& port, int backlog = 1024) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = loopback(0);
  socklen_t size = sizeof(address);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || listen(fd, backlog) != 0) {
    throw std::runtime_error("no loopback port");
  }
  port = ntohs(address.sin_port);
  return fd;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

ReceivedRequest parse_head(std::string_view head) {
  ReceivedRequest request;
  const auto first_space = head.find(' ');
  request.method = head.substr(0, first_space);
  request.path = head.substr(first_space + 1, head.find(' ', first_space + 1) - first_space - 1);
  for (auto line_end = head.find("\r\n"); line_end != std::string_view::npos; line_end = head.find("\r\n")) {
    head.remove_prefix(line_end + 2);
    const auto line = head.substr(0, head.find("\r\n"));
    const auto colon = line.find(": ");
    if (colon != std::string_view::npos)
      request.headers[lower_case(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
  }
  return request;
}

}  // namespace

void ServerConnection::send(std::string_view bytes) {
  while (fd_ >= 0 && !bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return close();
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void ServerConnection::reply(int status, std::string_view body, const std::vector<std::string>& headers) {
  std::string head =
      "HTTP/1.1 " + std::to_string(status) + " Status\r\ncontent-length: " + std::to_string(body.size()) + "\r\n";
  bool has_type = false;
  for (const auto& line : headers) {
    head += line + "\r\n";
    has_type = has_type || lower_case(line).rfind("content-type:", 0) == 0;
  }
  if (!has_type) head += "content-type: application/json\r\n";
  send(head + "\r\n" + std::string(body));
}

void ServerConnection::wait_for_end() {
  while (fd_ >= 0 && !stopping_) {
    pollfd waiting{fd_, POLLRDHUP, 0};
    if (poll(&waiting, 1, poll_ms) > 0) return close();
  }
}

void ServerConnection::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void ServerConnection::reset() {
  const linger now{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close();
}

bool ServerConnection::fill() {
  std::array<char, 65536> bytes{};
  while (fd_ >= 0 && !stopping_) {
    pollfd waiting{fd_, POLLIN, 0};
    if (poll(&waiting, 1, poll_ms) <= 0) continue;
    const auto received = recv(fd_, bytes.data(), bytes.size(), 0);
    if (received <= 0) return false;
    if (pause_ms_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms_));
    buffer_.append(bytes.data(), static_cast<std::size_t>(received));
    return true;
  }
  return false;
}

ReceivedRequest ServerConnection::read_request() {
  auto end = buffer_.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!fill()) return {};
    end = buffer_.find("\r\n\r\n");
  }
  auto request = parse_head(std::string_view(buffer_).substr(0, end + 2));
  std::size_t length = 0;
  if (const auto header = request.headers.find("content-length"); header != request.headers.end()) {
    std::from_chars(header->second.data(), header->second.data() + header->second.size(), length);
  }
  while (buffer_.size() < end + 4 + length) {
    if (!fill()) return {};
  }
  request.body = buffer_.substr(end + 4, length);
  buffer_.erase(0, end + 4 + length);
  return request;
}

FaultServer::FaultServer(Handler handler) : handler_(std::move(handler)), listener_(listen_on_loopback(port_)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

FaultServer::~FaultServer() {
  stopping_ = true;
  acceptor_.join();
  for (auto& thread : threads_) thread.join();
  ::close(listener_);
}

std::vector<ReceivedRequest> FaultServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FaultServer::accept_all() {
  while (!stopping_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, poll_ms) <= 0) continue;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ++connections_seen_;
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void FaultServer::serve(int fd) {
  const int open = ++open_now_;
  for (int most = most_at_once_; open > most && !most_at_once_.compare_exchange_weak(most, open);) {
  }
  ServerConnection connection(fd, stopping_, pause_ms_);
  while (connection.is_open()) {
    auto request = connection.read_request();
    if (request.path.empty()) break;
    const int number = ++requests_seen_;
    if (keep_requests_) {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    handler_(connection, request, number);
  }
  connection.close();
  --open_now_;
}

SilentPort::SilentPort(Backlog backlog) {
  const bool is_full = backlog == Backlog::full;
  descriptors_.push_back(listen_on_loopback(port_, is_full ? 0 : 1024));
  const auto address = loopback(port_);
  while (is_full) {
    const int fd = descriptors_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    static_cast<void>(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
    pollfd connecting{fd, POLLOUT, 0};
    if (poll(&connecting, 1, poll_ms) == 0) return;
  }
}

SilentPort::~SilentPort() {
  for (const int fd : descriptors_) ::close(fd);
}

int unused_port() {
  int port = 0;
  ::close(listen_on_loopback(port));
  return port;
}

int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace ctxmgr::test
