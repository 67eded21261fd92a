#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace ctxmgr::sql {

/// Ends waiting for servers that are silent: shuts a connection's socket down when its time is over, so that whoever
/// waits for it sees a lost connection. libpq has no time limit of its own, and the MySQL client's has whole seconds.
/// Thread-safety: any number of threads may have their watches.
class Watchdog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// The watch over one socket, which stays open as long as it lives. Used by one thread.
  class Watch {
   public:
    Watch(Watchdog& dog, int socket) : dog_(dog), socket_(socket) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { rest(); }

    /// From now on, until `time`.
    void begin(Time time);
    /// After this the socket is left alone.
    void rest();
    /// Whether the time was over, and the connection with it.
    [[nodiscard]] bool has_bitten() const;

   private:
    friend class Watchdog;
    Watchdog& dog_;
    const int socket_;
    std::optional<Time> until_{};
    bool has_bitten_ = false;
  };

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Watch*> watches_;  ///< Those that have begun.
  std::thread thread_;           ///< Started by the first watch.
  bool ending_ = false;
};

}  // namespace ctxmgr::sql
