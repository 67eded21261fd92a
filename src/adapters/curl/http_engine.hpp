#pragma once
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "adapters/curl/easy_handle.hpp"
#include "adapters/curl/transfer.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::http {

/// Runs the transfers of one client on one multi handle in one thread, so that all calls, from whichever threads, share
/// its connections and their bound. First come, first served.
/// Thread-safety: all methods may be called from several threads at once.
class HttpEngine {
 public:
  /// `unavailable` where there is no memory or no thread for it.
  [[nodiscard]] static Result<std::unique_ptr<HttpEngine>> start(TransportOptions options);

  HttpEngine(const HttpEngine&) = delete;
  HttpEngine& operator=(const HttpEngine&) = delete;

  /// Ends what is still under way.
  ~HttpEngine();

  /// The result comes by the transfer's mailbox, unless the transfer is abandoned.
  void submit(std::shared_ptr<Transfer> transfer);

  /// Ends it soon. Whatever its connection was in the middle of is not used again.
  void abandon(Transfer& transfer);

  /// Takes on what the service sends, after a pause.
  void go_on(Transfer& transfer);

  /// Queued or under way.
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }

  /// False in a child process after fork, which has the memory but not the thread.
  [[nodiscard]] bool is_usable() const { return getpid() == process_; }

 private:
  explicit HttpEngine(TransportOptions options);

  void run();
  void start_queued();
  void begin(std::shared_ptr<Transfer> transfer);
  void drop_abandoned();
  void wake_paused();
  [[nodiscard]] bool collect_finished();
  void finish(std::list<std::unique_ptr<EasyHandle>>::iterator handle, CURLcode code);

  const TransportOptions options_;
  const pid_t process_;
  CURLM* multi_ = nullptr;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> has_abandoned_{false};
  std::atomic<bool> has_paused_{false};
  std::atomic<std::size_t> in_flight_{0};

  std::mutex mutex_;
  std::deque<std::shared_ptr<Transfer>> queue_;

  std::list<std::unique_ptr<EasyHandle>> active_;  // The engine's thread only.
};

}  // namespace ctxmgr::http
