#include "engine/summaries/summary_flight.hpp"

#include <chrono>
#include <utility>

#include "engine/summaries/summary_entry.hpp"
#include "ports/deadline.hpp"

namespace ctxmgr {
namespace {

// How often a waiting caller looks whether it is still wanted; the bound on how late it returns.
constexpr std::chrono::milliseconds poll_interval{20};

// A leader that takes longer may be waiting for the very caller that waits for it: a client that builds from another thread
// while it is asked. Who has waited so long does the work itself.
constexpr std::chrono::seconds patience{10};

bool is_leaders_own(const Result<std::string>& result) {
  return !result &&
         (result.error().code == ErrorCode::cancelled || result.error().code == ErrorCode::deadline_exceeded);
}

}  // namespace

SummaryFlight::SummaryFlight(SummaryCache cache, SummaryKey key, std::shared_ptr<Table> table,
                             std::shared_ptr<Clock> clock)
    : cache_(std::move(cache)),
      key_(std::move(key)),
      clock_(std::move(clock)),
      table_(std::move(table)),
      name_(summary_namespace(key_.scope) + summary_store_key(key_)) {
  const std::scoped_lock lock(table_->mutex);
  auto& flight = table_->flights[name_];
  if (!flight) flight = std::make_shared<Flight>();
  flight_ = flight;
  ++flight_->callers;
  (void)poll_locked();
}

SummaryFlight::~SummaryFlight() {
  if (!table_) return;
  step_back();
  const std::scoped_lock lock(table_->mutex);
  if (--flight_->callers == 0 && flight_->stage != Stage::answered) table_->flights.erase(name_);
}

void SummaryFlight::finish(const Result<std::string>& summary, const CallOptions& call) {
  if (!is_leader()) return;
  if (is_leaders_own(summary)) return step_back();
  // Kept first: whoever comes after the flight has landed finds it.
  if (summary) cache_.store(key_, *summary, call);
  hand_out(summary);
}

void SummaryFlight::hand_out(Result<std::string> summary) {
  const std::scoped_lock lock(table_->mutex);
  if (!std::exchange(is_leader_, false)) return;
  flight_->stage = Stage::answered;
  flight_->answer = std::move(summary);
  table_->flights.erase(name_);
  flight_->changed.notify_all();
}

void SummaryFlight::step_back() {
  const std::scoped_lock lock(table_->mutex);
  if (!std::exchange(is_leader_, false)) return;
  flight_->stage = Stage::vacant;
  flight_->changed.notify_all();
}

std::optional<Result<std::string>> SummaryFlight::poll_locked() {
  if (flight_->stage == Stage::vacant) {
    flight_->stage = Stage::led;
    flight_->leader = std::this_thread::get_id();
    is_leader_ = true;
  }
  return flight_->answer;
}

std::optional<Result<std::string>> SummaryFlight::poll() {
  const std::scoped_lock lock(table_->mutex);
  return poll_locked();
}

std::optional<Result<std::string>> SummaryFlight::wait(const CallOptions& call) {
  const auto now = [this] { return clock_ ? clock_->steady_now() : std::chrono::steady_clock::now(); };
  const auto latest = now() + patience;
  while (true) {
    {
      std::unique_lock lock(table_->mutex);
      if (auto answer = poll_locked(); answer || is_leader_) return answer;
      // The leader cannot go on while its own thread waits for it.
      if (flight_->leader == std::this_thread::get_id()) {
        return fail(ErrorCode::unavailable, "the summary is being made by the thread that asks for it");
      }
      flight_->changed.wait_for(lock, poll_interval);
    }
    // Outside the lock: both are the caller's code.
    if (auto wanted = check_wanted(call, now()); !wanted) {
      if (wanted.error().code == ErrorCode::deadline_exceeded)
        wanted.error().message += " while another caller made the summary";
      return tl::unexpected(wanted.error());
    }
    if (now() >= latest) return std::nullopt;
  }
}

}  // namespace ctxmgr
