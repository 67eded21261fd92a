#include "http/server.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ctxpack::http {
namespace {

using std::chrono::steady_clock;

constexpr int backlog = 512;
constexpr std::chrono::milliseconds pause{100};  // Where there are no descriptors left.
constexpr std::size_t piece_bytes = std::size_t{16} << 10;

int port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  const bool is_6 = address.ss_family == AF_INET6;
  return ntohs(is_6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                    : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

int listen_on(const addrinfo& address) {
  const int socket = ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  const int on = 1;
  static_cast<void>(setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  if (::bind(socket, address.ai_addr, address.ai_addrlen) == 0 && listen(socket, backlog) == 0) return socket;
  close(socket);
  return -1;
}

}  // namespace

Server::Server(Limits limits, Handler handler)
    : limits_(limits), handler_(std::move(handler)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Server::~Server() {
  if (!workers_.empty()) stop();  // Started, and never run.
  for (auto& worker : workers_) worker.join();
  if (listener_ >= 0) close(listener_);
  if (wake_ >= 0) close(wake_);
}

int Server::bind(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (wake_ < 0 || getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  for (const addrinfo* address = found; address != nullptr && listener_ < 0; address = address->ai_next)
    listener_ = listen_on(*address);
  freeaddrinfo(found);
  return listener_ < 0 ? -1 : port_of(listener_);
}

void Server::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof one));
}

void Server::stop() {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);  // A worker that has looked at the flag is waiting by now.
    for (auto* const worker : idle_) worker->called.notify_one();
  }
  wake();
}

std::size_t Server::busy() const {
  const std::lock_guard lock(mutex_);
  return work_.size() + answered_.size();
}

void Server::cut() {
  stop();
  const std::lock_guard lock(mutex_);
  for (auto* const connection : answered_) connection->end();
}

std::size_t Server::start() {
  try {
    while (workers_.size() < limits_.workers) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads for this process: those that are there take turns.
  }
  return workers_.size();
}

void Server::run() {
  if (workers_.empty() && start() == 0) return;
  while (!stopping_) wait();
  waiting_.clear();
  for (auto& worker : workers_) worker.join();
  workers_.clear();
  close(std::exchange(listener_, -1));
  work_.clear();
  returned_.clear();
}

void Server::work() {
  Idle self;
  while (auto visit = next_to_answer(self)) {
    const auto outcome = exchange(*visit->connection, visit->bytes, limits_, handler_, bodies_);
    {
      const std::lock_guard lock(mutex_);
      answered_.erase(visit->connection.get());
      returned_.push_back({std::move(*visit), outcome});
    }
    wake();
  }
}

std::optional<Server::Visit> Server::next_to_answer(Idle& self) {
  std::unique_lock lock(mutex_);
  while (!stopping_ && work_.empty()) {
    self.is_called = false;
    idle_.push_back(&self);
    self.called.wait(lock, [&] { return self.is_called || stopping_; });
    if (!self.is_called) idle_.erase(std::find(idle_.begin(), idle_.end(), &self));
  }
  if (stopping_) return std::nullopt;
  Visit visit = std::move(work_.front());
  work_.pop_front();
  answered_.insert(visit.connection.get());
  return visit;
}

void Server::wait() {
  std::vector<pollfd> entries = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
  const auto now = steady_clock::now();
  if (now < accepts_again_) entries[1].fd = -1;
  auto until = now + (now < accepts_again_ ? pause : std::chrono::minutes(1));
  for (const auto& visit : waiting_) {
    entries.push_back({visit.connection->socket(), POLLIN, 0});
    until = std::min(until, visit.until);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
  if (poll(entries.data(), entries.size(), static_cast<int>(std::max<std::int64_t>(left, 0))) < 0) return;
  std::uint64_t count = 0;
  static_cast<void>(!::read(wake_, &count, sizeof count));
  const auto later = steady_clock::now();
  std::vector<Visit> still;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    auto& visit = waiting_[i];
    const bool is_due = entries[i + 2].revents != 0 || visit.until <= later;
    if (!is_due || go_on(visit)) {
      still.push_back(std::move(visit));
    } else if (visit.connection != nullptr) {
      forget(visit);
    }
  }
  waiting_ = std::move(still);
  take_back();
  if (entries[1].revents != 0) accept_all();
}

void Server::accept_all() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE) accepts_again_ = steady_clock::now() + pause;
      return;
    }
    Visit visit;
    visit.connection = std::make_unique<Connection>(socket, address_of_peer(socket));
    visit.until = steady_clock::now() + limits_.head_time;
    visit.has_begun = true;
    ++open_;
    const auto of_address = ++addresses_[visit.connection->address()];
    const bool is_welcome = open_ <= limits_.connections && of_address <= limits_.connections_per_address;
    if (!is_welcome) {
      constexpr int unavailable = 503;
      visit.connection->write_now(
          last_words(handler_.fail({}, unavailable, "there are too many connections from this address")));
      forget(visit);
      continue;
    }
    waiting_.push_back(std::move(visit));
  }
}

void Server::forget(const Visit& visit) {
  --open_;
  const auto count = addresses_.find(visit.connection->address());
  if (--count->second == 0) addresses_.erase(count);
}

void Server::take_back() {
  std::vector<Returned> returned;
  {
    const std::lock_guard lock(mutex_);
    returned.swap(returned_);
  }
  const auto now = steady_clock::now();
  for (auto& [visit, outcome] : returned) {
    if (outcome == Outcome::close) {
      forget(visit);
      continue;
    }
    visit.scanned = 0;
    visit.is_discarding = outcome == Outcome::discard;
    visit.has_begun = !visit.bytes.empty();
    if (visit.is_discarding) visit.connection->end_writing();
    visit.until = now + (visit.is_discarding ? limits_.linger
                         : visit.has_begun   ? limits_.head_time
                                             : limits_.keep_alive);
    // The next request may be here already.
    const bool is_whole = !visit.is_discarding && end_of_head(visit.bytes) != std::string::npos;
    if (is_whole ? hand_over(visit) : true) waiting_.push_back(std::move(visit));
  }
}

bool Server::go_on(Visit& visit) {
  if (visit.is_discarding) {
    std::string nothing;
    const auto read = visit.connection->read(nothing, piece_bytes);
    return read != Connection::Read::closed && steady_clock::now() < visit.until;
  }
  return read_head(visit);
}

bool Server::read_head(Visit& visit) {
  constexpr int too_large = 431;
  constexpr int too_slow = 408;
  const auto read = visit.connection->read(visit.bytes, piece_bytes);
  if (read == Connection::Read::closed) return false;
  const auto now = steady_clock::now();
  if (read == Connection::Read::some && !visit.has_begun) {
    visit.has_begun = true;
    visit.until = now + limits_.head_time;
  }
  const auto end = end_of_head(std::string_view(visit.bytes).substr(visit.scanned));
  if (end != std::string::npos && visit.scanned + end <= limits_.head_bytes) return hand_over(visit);
  if (end != std::string::npos || visit.bytes.size() > limits_.head_bytes)
    return refuse(visit, too_large, "the request's head is too large");
  constexpr std::size_t most_of_an_end = 3;
  visit.scanned = visit.bytes.size() - std::min(visit.bytes.size(), most_of_an_end);
  if (now < visit.until) return true;
  return !visit.bytes.empty() && refuse(visit, too_slow, "the request's head did not come in time");
}

/// Its connection goes with it.
bool Server::hand_over(Visit& visit) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(visit));
    if (!idle_.empty()) {
      idle_.back()->is_called = true;
      idle_.back()->called.notify_one();
      idle_.pop_back();
    }
  }
  return false;
}

bool Server::refuse(Visit& visit, int status, const char* why) {
  visit.connection->write_now(last_words(handler_.fail({}, status, why)));
  visit.connection->end_writing();
  visit.bytes.clear();
  visit.is_discarding = true;
  visit.until = steady_clock::now() + limits_.linger;
  return true;
}

}  // namespace ctxpack::http
