#include "engine/summaries/single_flight.hpp"

#include <chrono>
#include <utility>

#include "ports/deadline.hpp"

namespace ctxmgr {
namespace {

// How often a waiting caller looks whether it is still wanted; the bound on how late it returns.
constexpr std::chrono::milliseconds poll_interval{20};

// A leader that takes longer may be waiting for the very caller that waits for it: a client that builds from another thread
// while it is asked. Who has waited so long does the work itself.
constexpr std::chrono::seconds patience{10};

std::chrono::steady_clock::time_point now_by(const Clock* clock) {
  return clock != nullptr ? clock->steady_now() : std::chrono::steady_clock::now();
}

std::optional<Error> not_wanted(const Clock* clock, const CallOptions& call) {
  if (call.cancellation.is_cancelled()) return Error{ErrorCode::cancelled, "cancelled by the caller", {}};
  if (clock ? is_over(call, *clock) : is_over(call)) {
    return Error{ErrorCode::deadline_exceeded, "deadline passed while another caller made the summary", {}};
  }
  return std::nullopt;
}

}  // namespace

SingleFlight::Ticket SingleFlight::join(const std::shared_ptr<SingleFlight>& table, const std::string& key) {
  const std::scoped_lock lock(table->mutex_);
  auto& flight = table->flights_[key];
  if (!flight) flight = std::make_shared<Flight>();
  return {table, key, flight};
}

SingleFlight::Ticket::Ticket(std::shared_ptr<SingleFlight> table, std::string key, std::shared_ptr<Flight> flight)
    : table_(std::move(table)), key_(std::move(key)), flight_(std::move(flight)) {
  ++flight_->tickets;
  (void)poll_locked();
}

SingleFlight::Ticket::~Ticket() {
  abandon();
  const std::scoped_lock lock(table_->mutex_);
  if (--flight_->tickets == 0 && flight_->stage != Stage::answered) table_->flights_.erase(key_);
}

void SingleFlight::Ticket::complete(Result<std::string> answer) {
  const std::scoped_lock lock(table_->mutex_);
  if (!is_leader_) return;
  is_leader_ = false;
  flight_->stage = Stage::answered;
  flight_->answer = std::move(answer);
  table_->flights_.erase(key_);
  flight_->changed.notify_all();
}

void SingleFlight::Ticket::abandon() {
  const std::scoped_lock lock(table_->mutex_);
  if (!is_leader_) return;
  is_leader_ = false;
  flight_->stage = Stage::vacant;
  flight_->changed.notify_all();
}

std::optional<Result<std::string>> SingleFlight::Ticket::poll_locked() {
  if (flight_->stage == Stage::vacant) {
    flight_->stage = Stage::led;
    flight_->leader = std::this_thread::get_id();
    is_leader_ = true;
  }
  return flight_->answer;
}

std::optional<Result<std::string>> SingleFlight::Ticket::poll() {
  const std::scoped_lock lock(table_->mutex_);
  return poll_locked();
}

std::optional<Result<std::string>> SingleFlight::Ticket::wait(const Clock* clock, const CallOptions& call) {
  const auto latest = now_by(clock) + patience;
  while (true) {
    {
      std::unique_lock lock(table_->mutex_);
      if (auto answer = poll_locked(); answer || is_leader_) return answer;
      // The leader cannot go on while its own thread waits for it.
      if (flight_->leader == std::this_thread::get_id()) {
        return fail(ErrorCode::unavailable, "the summary is being made by the thread that asks for it");
      }
      flight_->changed.wait_for(lock, poll_interval);
    }
    // Outside the lock: both are the caller's code.
    if (auto error = not_wanted(clock, call)) return tl::unexpected(*std::move(error));
    if (now_by(clock) >= latest) return std::nullopt;
  }
}

}  // namespace ctxmgr
