#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "http/body_buffers.hpp"
#include "http/connection.hpp"
#include "http/exchange.hpp"

namespace ctxpack::http {

/// An HTTP/1.1 server for a few hundred connections. One thread waits for heads, so that a client that is slow with one holds
/// nobody up; a whole one goes to a worker, which reads the body, answers, and gives the connection back.
class Server {
 public:
  Server(Limits limits, Handler handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// Listens from here on. Returns the port, or -1.
  [[nodiscard]] int bind(const std::string& host, int port);

  /// Makes the threads that answer: as many as the limits say, or as the system lets. Returns how many; none: nothing can be
  /// served.
  [[nodiscard]] std::size_t start();

  /// Serves until `stop()`, and makes its threads where `start()` has not.
  void run();

  /// Requests that are being answered, or wait for a thread. From any thread.
  [[nodiscard]] std::size_t busy() const;

  /// Waits for nobody but the requests that are being answered. From any thread.
  void stop();

  /// Stops without waiting for clients: connections of requests that are being answered end here. From any thread.
  void cut();

 private:
  struct Visit {
    std::unique_ptr<Connection> connection{};
    std::string bytes{};
    TimePoint until{};
    std::size_t scanned = 0;  ///< Of the bytes, in which no head ends.
    bool is_discarding = false;
    bool has_begun = false;  ///< `until` is the end of a head's time.
  };
  struct Returned {
    Visit visit{};
    Outcome outcome = Outcome::close;
  };

  /// A worker that has nothing to do.
  struct Idle {
    std::condition_variable called{};
    bool is_called = false;
  };

  void accept_all();
  void take_back();
  void wait();
  /// Whether it goes on waiting.
  [[nodiscard]] bool go_on(Visit& visit);
  [[nodiscard]] bool read_head(Visit& visit);
  [[nodiscard]] bool hand_over(Visit& visit);
  [[nodiscard]] bool refuse(Visit& visit, int status, const char* why);
  void forget(const Visit& visit);
  void work();
  /// The next request to answer; none: the server stops.
  [[nodiscard]] std::optional<Visit> next_to_answer(Idle& self);
  void wake();

  const Limits limits_;
  const Handler handler_;
  BodyBuffers bodies_{std::size_t{16} << 20};
  int listener_ = -1;
  int wake_ = -1;
  std::atomic<bool> stopping_{false};

  std::vector<Visit> waiting_{};  // Of the thread that waits, as the next three.
  std::map<std::string, std::size_t> addresses_{};
  std::size_t open_ = 0;
  TimePoint accepts_again_{};

  std::vector<std::thread> workers_{};
  mutable std::mutex mutex_;
  std::vector<Idle*> idle_;  // The last one answers next: what it used is still in the processor's caches.
  std::set<Connection*> answered_;
  std::deque<Visit> work_;
  std::vector<Returned> returned_;
};

}  // namespace ctxpack::http
