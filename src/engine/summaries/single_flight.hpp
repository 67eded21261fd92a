#pragma once
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/clock.hpp"

namespace ctxmgr {

/// Work that several callers want at once: for each key one leader at a time, and any number of followers. No lock is
/// held while a leader works.
/// Thread-safety: all methods may be called from several threads at once.
class SingleFlight {
 public:
  class Ticket;

  /// Joins the flight of a key, or starts it.
  [[nodiscard]] static Ticket join(const std::shared_ptr<SingleFlight>& table, const std::string& key);

 private:
  enum class Stage { led, vacant, answered };

  struct Flight {
    Stage stage = Stage::vacant;
    std::thread::id leader{};
    std::size_t tickets = 0;
    std::optional<Result<std::string>> answer{};
    std::condition_variable changed{};
  };

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> flights_;  // those without an answer
};

/// A caller's part in a flight; leaves it when destroyed.
/// Thread-safety: one thread at a time.
class SingleFlight::Ticket {
 public:
  Ticket(std::shared_ptr<SingleFlight> table, std::string key, std::shared_ptr<Flight> flight);
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket();

  [[nodiscard]] bool is_leader() const { return is_leader_; }

  /// The leader's answer, given to all followers. The next to join starts anew.
  void complete(Result<std::string> answer);

  /// Gives up the lead: the next follower that asks has it.
  void abandon();

  /// The answer; nullopt: not yet, or this ticket leads now.
  [[nodiscard]] std::optional<Result<std::string>> poll();
  /// The same, not before the leader is done or ten seconds have passed.
  [[nodiscard]] std::optional<Result<std::string>> wait(const Clock* clock, const CallOptions& call);

 private:
  std::optional<Result<std::string>> poll_locked();

  std::shared_ptr<SingleFlight> table_;
  std::string key_;
  std::shared_ptr<Flight> flight_;
  bool is_leader_ = false;
};

}  // namespace ctxmgr
