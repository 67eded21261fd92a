#include "engine/summaries/summary_flight.hpp"

#include <utility>

#include "engine/summaries/summary_entry.hpp"

namespace ctxmgr {
namespace {

bool is_leaders_own(const Result<std::string>& result) {
  return !result &&
         (result.error().code == ErrorCode::cancelled || result.error().code == ErrorCode::deadline_exceeded);
}

}  // namespace

SummaryFlight::SummaryFlight(SummaryCache cache, SummaryKey key, const std::shared_ptr<SingleFlight>& table,
                             std::shared_ptr<Clock> clock)
    : cache_(std::move(cache)),
      key_(std::move(key)),
      // Constructed in place: a ticket does not move.
      ticket_(
          new SingleFlight::Ticket(SingleFlight::join(table, summary_namespace(key_.scope) + summary_store_key(key_)))),
      clock_(std::move(clock)) {}

void SummaryFlight::finish(const Result<std::string>& summary, const CallOptions& call) {
  if (!is_leader()) return;
  if (is_leaders_own(summary)) return ticket_->abandon();
  // Kept first: whoever comes after the flight has landed finds it.
  if (summary) cache_.store(key_, *summary, call);
  ticket_->complete(summary);
}

std::optional<Result<std::string>> SummaryFlight::wait(const CallOptions& call) {
  return ticket_->wait(clock_.get(), call);
}

}  // namespace ctxmgr
