#include "adapters/curl/exchange.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ctxmgr::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Cancellation and time limits are looked at this often while nothing arrives.
constexpr milliseconds poll_interval{20};
constexpr int max_adaptations = 6;

enum class State { waiting, under_way, over };

struct Slot {
  explicit Slot(Exchange* e) : exchange(e) {}

  Exchange* exchange;
  State state = State::waiting;
  TimePoint wake_up{};      ///< While waiting: when the next attempt begins.
  TimePoint first_start{};  ///< Of the first attempt, once it has left the queue.
  std::shared_ptr<Transfer> transfer{};
  int attempts = 0;
  int adaptations = 0;
  bool holds_retry = false;
};

/// The calls of one thread.
class Run {
 public:
  Run(HttpEngine& engine, RetryBudget& budget, const ExchangeLimits& limits, const CallOptions& call)
      : engine_(engine), budget_(budget), limits_(limits), call_(call) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ~Run() {
    for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) end(*slot);
  }

  void carry_out(const std::vector<Exchange*>& exchanges) {
    for (Exchange* const exchange : exchanges) slots_.emplace_back(exchange);
    open_ = slots_.size();
    while (open_ > 0) {
      check_caller();
      const auto now = steady_clock::now();
      auto wake_up = now + poll_interval;
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        auto& slot = slots_[i];
        if (slot.state == State::under_way) check_time(slot, now);
        if (slot.state != State::waiting) continue;
        if (slot.wake_up > now) {
          wake_up = std::min(wake_up, slot.wake_up);
        } else if (transfers_ < limits_.max_transfers) {
          begin(i);
        }
      }
      if (call_.deadline) wake_up = std::min(wake_up, *call_.deadline);
      if (open_ == 0) return;
      for (auto& letter : mailbox_->take(wake_up)) receive(std::move(letter));
    }
  }

 private:
  void check_caller() {
    bool is_cancelled = false;
    try {
      is_cancelled = call_.cancellation.is_cancelled();
    } catch (...) {
      return fail_all({ErrorCode::internal, "the cancellation token threw an exception", {}});
    }
    if (is_cancelled) {
      fail_all({ErrorCode::cancelled, "cancelled by the caller", {}});
    } else if (call_.deadline && steady_clock::now() >= *call_.deadline) {
      fail_all({ErrorCode::deadline_exceeded, "the deadline passed before the service answered", {}});
    }
  }

  /// The last first: where one under way ended before those behind it in the queue, the next of them would begin.
  void fail_all(const Error& error) {
    for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) {
      if (slot->state != State::over && !has_answer(*slot)) give_up(*slot, error);
    }
  }

  void begin(std::size_t index) {
    auto& slot = slots_[index];
    auto request = slot.exchange->next_request();
    if (!request) return give_up(slot, std::move(request.error()));
    slot.state = State::under_way;
    ++slot.attempts;
    // Each attempt has a ticket of its own, so that late letters of an abandoned one are known as such.
    slot.transfer = std::make_shared<Transfer>(std::move(*request), mailbox_, slot_of_ticket_.size());
    slot_of_ticket_.push_back(index);
    ++transfers_;
    engine_.submit(slot.transfer);
  }

  void check_time(Slot& slot, TimePoint now) {
    const auto started = slot.transfer->started_at.load();
    if (started == TimePoint{}) return;
    note_start(slot);
    if (now - slot.first_start > limits_.total_timeout) {
      if (has_answer(slot)) return;
      return give_up(slot, {ErrorCode::deadline_exceeded, "the call took longer than total_timeout", {}});
    }
    const auto last = slot.transfer->last_byte_at.load();
    const bool has_begun = last != TimePoint{};
    const auto since = has_begun ? last : std::max(started, slot.transfer->last_sent_at.load());
    const bool is_silent = now - since > slot.exchange->patience(limits_, has_begun);
    if (is_silent) fail_attempt(slot, classify_failure(TransportFailure::silent));
  }

  static void note_start(Slot& slot) {
    if (slot.first_start == TimePoint{}) slot.first_start = slot.transfer->started_at;
  }

  void receive(Mailbox::Letter letter) {
    auto& slot = slots_[slot_of_ticket_[letter.ticket]];
    if (!slot.transfer || slot.transfer->ticket != letter.ticket) return;
    note_start(slot);
    if (letter.done) forget_transfer(slot);
    Exchange::Step step;
    if (!letter.done) {
      step = slot.exchange->on_bytes(letter.bytes);
      if (step.next == Exchange::Next::ask_again) return;
    } else if (letter.result.failure != TransportFailure::none) {
      step = {Exchange::Next::failed, classify_failure(letter.result.failure)};
    } else {
      step = slot.exchange->on_reply(std::move(letter.result.reply));
    }
    if (step.next == Exchange::Next::ask_again && slot.adaptations < max_adaptations) {
      ++slot.adaptations;
      --slot.attempts;
      return wait(slot, steady_clock::now());
    }
    if (step.next != Exchange::Next::done) return fail_attempt(slot, std::move(step.failure));
    budget_.on_success();
    end(slot);
  }

  /// A connection may stay open, or break, after all has been said.
  bool has_answer(Slot& slot) {
    if (slot.state != State::under_way || !slot.exchange->accept_unfinished()) return false;
    budget_.on_success();
    end(slot);
    return true;
  }

  void fail_attempt(Slot& slot, Failure failure) {
    if (has_answer(slot)) return;
    if (failure.retry != Retry::never) budget_.on_failure(failure.timed_out);
    if (slot.exchange->has_delivered()) return give_up(slot, std::move(failure.error));
    const auto now = steady_clock::now();
    const auto delay =
        retry_delay(failure, {slot.attempts, limits_.max_attempts, remaining(slot, now), budget_.jitter()});
    release_retry(slot);
    if (!delay || !budget_.acquire(engine_.in_flight())) return give_up(slot, std::move(failure.error));
    slot.holds_retry = true;
    wait(slot, now + *delay);
  }

  [[nodiscard]] milliseconds remaining(const Slot& slot, TimePoint now) const {
    const auto started = slot.first_start == TimePoint{} ? now : slot.first_start;
    auto end = started + limits_.total_timeout;
    if (call_.deadline) end = std::min(end, *call_.deadline);
    return std::chrono::duration_cast<milliseconds>(end - now);
  }

  void wait(Slot& slot, TimePoint wake_up) {
    abandon_transfer(slot);
    slot.state = State::waiting;
    slot.wake_up = wake_up;
  }

  void give_up(Slot& slot, Error error) {
    slot.exchange->on_failure(std::move(error));
    end(slot);
  }

  void end(Slot& slot) {
    if (slot.state == State::over) return;
    abandon_transfer(slot);
    release_retry(slot);
    slot.state = State::over;
    --open_;
  }

  void abandon_transfer(Slot& slot) {
    if (!slot.transfer) return;
    engine_.abandon(*slot.transfer);
    forget_transfer(slot);
  }

  void forget_transfer(Slot& slot) {
    slot.transfer = nullptr;
    --transfers_;
  }

  void release_retry(Slot& slot) {
    if (std::exchange(slot.holds_retry, false)) budget_.release();
  }

  HttpEngine& engine_;
  RetryBudget& budget_;
  const ExchangeLimits& limits_;
  const CallOptions& call_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::vector<Slot> slots_;
  std::vector<std::size_t> slot_of_ticket_;
  std::size_t open_ = 0;
  std::size_t transfers_ = 0;  ///< Queued or under way.
};

}  // namespace

void carry_out(const std::vector<Exchange*>& exchanges, HttpEngine& engine, RetryBudget& budget,
               const ExchangeLimits& limits, const CallOptions& call) {
  if (!engine.is_usable()) {
    for (Exchange* const exchange : exchanges) {
      exchange->on_failure({ErrorCode::internal, "the client was made before a fork; make another one", {}});
    }
    return;
  }
  Run(engine, budget, limits, call).carry_out(exchanges);
}

}  // namespace ctxmgr::http
