#include "serve/preparing.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "ctxmgr/wire.hpp"
#include "view/pricing.hpp"

namespace ctxpack::serve {
namespace {

constexpr std::size_t workers = 4;
constexpr std::size_t most_waiting_bytes = std::size_t{32} << 20;
constexpr std::chrono::minutes longest{5};

ctxmgr::Result<ctxmgr::WireRequest> read(NearlyFull full, const ctxmgr::CallOptions& call) {
  return ctxmgr::read_wire(full.api, full.body, {std::move(full.request), std::move(full.attachments)}, call);
}

}  // namespace

Preparing::Preparing(ctxmgr::ContextManager manager, std::int64_t tokens_per_hour, Made made)
    : manager_(std::move(manager)), tokens_per_hour_(tokens_per_hour), made_(std::move(made)), stopped_([this] {
        const std::lock_guard lock(mutex_);
        return stopping_;
      }) {
  try {
    for (std::size_t i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads for this process: those that are there do the work, and without any no summaries are made.
  }
}

Preparing::~Preparing() { stop(); }

void Preparing::add(NearlyFull full) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  const auto same = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const NearlyFull& waits) { return waits.thread == full.thread; });
  waiting_bytes_ += full.body.size();
  if (same != waiting_.end()) {
    waiting_bytes_ -= same->body.size();
    *same = std::move(full);
  } else {
    waiting_.push_back(std::move(full));
  }
  while (waiting_bytes_ > most_waiting_bytes) {
    waiting_bytes_ -= waiting_.front().body.size();
    waiting_.pop_front();
    ++totals_.skipped;
  }
  changed_.notify_one();
}

void Preparing::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    waiting_bytes_ = 0;
  }
  changed_.notify_all();
  for (auto& worker : workers_)
    if (worker.joinable()) worker.join();
}

PreparingTotals Preparing::totals() const {
  const std::lock_guard lock(mutex_);
  auto totals = totals_;
  totals.under_way = waiting_.size() + under_way_.size();
  return totals;
}

/// One thread is prepared by one worker, or it would be summarised twice.
std::deque<NearlyFull>::iterator Preparing::next() {
  return std::find_if(waiting_.begin(), waiting_.end(),
                      [this](const NearlyFull& waits) { return under_way_.count(waits.thread) == 0; });
}

/// Of what the hour has left, so much that all workers together never take more.
std::int64_t Preparing::take_share() {
  const auto now = std::chrono::steady_clock::now();
  if (now - hour_began_ >= std::chrono::hours(1)) {
    hour_began_ = now;
    spent_ = 0;
  }
  const auto idle = static_cast<std::int64_t>(workers - under_way_.size());
  const auto share = std::max<std::int64_t>(0, tokens_per_hour_ - spent_ - set_aside_) / idle;
  set_aside_ += share;
  return share;
}

void Preparing::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || next() != waiting_.end(); });
    if (stopping_) return;
    const auto first = next();
    NearlyFull full = std::move(*first);
    waiting_.erase(first);
    waiting_bytes_ -= full.body.size();
    const auto thread = full.thread;
    const auto share = take_share();
    under_way_.insert(thread);
    lock.unlock();
    const auto made = share > 0 ? prepare(std::move(full), share) : view::Summaries{};
    lock.lock();
    under_way_.erase(thread);
    set_aside_ -= share;
    spent_ += made.usage.total_tokens();
    totals_.usage = totals_.usage + made.usage;
    totals_.usd += made.usd.value_or(0);
    totals_.skipped += share > 0 ? 0 : 1;
    changed_.notify_one();
  }
}

/// A failure leaves names in the place of summaries.
view::Summaries Preparing::prepare(NearlyFull full, std::int64_t most_tokens) const {
  try {
    ctxmgr::CallOptions call;
    call.cancellation = stopped_;
    call.deadline = std::chrono::steady_clock::now() + longest;
    full.request.planning.max_planning_tokens = most_tokens;
    const auto receipt = full.receipt;
    const auto in = read(std::move(full), call);
    if (!in) return {};
    const auto took = manager_.prepare_compaction(in->context, in->request, call);
    if (!took) return {};
    auto made = view::priced(in->request.models.summarizer, *took, manager_.catalog());
    if (made.are_there()) made_(receipt, made);
    return made;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace ctxpack::serve
