#include "adapters/curl/http_engine.hpp"

#include <system_error>
#include <utility>

#include "core/signals_blocked.hpp"

namespace ctxmgr::http {
namespace {

// Only a bound: whoever has something to say wakes the thread.
constexpr int poll_ms = 1'000;

CURLM* make_multi(std::size_t max_parallel) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* const multi = initialised == CURLE_OK ? curl_multi_init() : nullptr;
  if (multi == nullptr) return nullptr;
  const auto connections = static_cast<long>(max_parallel);
  curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections);
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  return multi;
}

}  // namespace

HttpEngine::HttpEngine(TransportOptions options)
    : options_(std::move(options)), process_(getpid()), multi_(make_multi(options_.max_parallel)) {}

Result<std::unique_ptr<HttpEngine>> HttpEngine::start(TransportOptions options) {
  std::unique_ptr<HttpEngine> engine(new HttpEngine(std::move(options)));
  if (engine->multi_ == nullptr) return fail(ErrorCode::unavailable, "libcurl could not be initialised");
  try {
    const SignalsBlocked blocked;
    engine->thread_ = std::thread([raw = engine.get()] { raw->run(); });
  } catch (const std::system_error&) {
    return fail(ErrorCode::unavailable, "no thread for the HTTP transfers");
  }
  return engine;
}

HttpEngine::~HttpEngine() {
  if (!is_usable()) {  // The thread and its connections are the parent's.
    if (thread_.joinable()) thread_.detach();
    for (auto& handle : active_) static_cast<void>(handle.release());
    return;
  }
  stopping_ = true;
  if (thread_.joinable()) {
    curl_multi_wakeup(multi_);
    thread_.join();
  }
  for (const auto& handle : active_) curl_multi_remove_handle(multi_, handle->get());
  active_.clear();
  curl_multi_cleanup(multi_);
}

void HttpEngine::submit(std::shared_ptr<Transfer> transfer) {
  ++in_flight_;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(transfer));
  }
  curl_multi_wakeup(multi_);
}

void HttpEngine::abandon(Transfer& transfer) {
  transfer.abandoned = true;
  has_abandoned_ = true;
  curl_multi_wakeup(multi_);
}

void HttpEngine::go_on(Transfer& transfer) {
  transfer.may_go_on = true;
  has_paused_ = true;
  curl_multi_wakeup(multi_);
}

void HttpEngine::run() {
  while (!stopping_) {
    drop_abandoned();
    wake_paused();
    start_queued();
    int running = 0;
    curl_multi_perform(multi_, &running);
    const bool has_room_again = collect_finished();
    if (!stopping_ && !has_room_again) curl_multi_poll(multi_, nullptr, 0, poll_ms, nullptr);
  }
}

void HttpEngine::start_queued() {
  std::unique_lock lock(mutex_);
  while (!queue_.empty() && active_.size() < options_.max_parallel) {
    auto transfer = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    begin(std::move(transfer));
    lock.lock();
  }
}

void HttpEngine::begin(std::shared_ptr<Transfer> transfer) {
  transfer->started_at = std::chrono::steady_clock::now();
  active_.push_front(std::make_unique<EasyHandle>(std::move(transfer), options_));
  CURL* const easy = active_.front()->get();
  if (easy == nullptr || curl_multi_add_handle(multi_, easy) != CURLM_OK) finish(active_.begin(), CURLE_FAILED_INIT);
}

void HttpEngine::drop_abandoned() {
  if (!has_abandoned_.exchange(false)) return;
  {
    const std::lock_guard lock(mutex_);
    in_flight_ -= std::erase_if(queue_, [](const auto& transfer) { return transfer->abandoned.load(); });
  }
  for (auto handle = active_.begin(); handle != active_.end();) {
    const auto next = std::next(handle);
    if ((*handle)->transfer().abandoned) finish(handle, CURLE_ABORTED_BY_CALLBACK);
    handle = next;
  }
}

void HttpEngine::wake_paused() {
  if (!has_paused_.exchange(false)) return;
  for (const auto& handle : active_) {
    auto& transfer = handle->transfer();
    if (!transfer.may_go_on.exchange(false)) continue;
    transfer.is_paused = false;
    transfer.last_byte_at = std::chrono::steady_clock::now();  // The silence was ours.
    curl_easy_pause(handle->get(), CURLPAUSE_CONT);
  }
}

bool HttpEngine::collect_finished() {
  bool any = false;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    for (auto handle = active_.begin(); handle != active_.end(); ++handle) {
      if ((*handle)->get() != message->easy_handle) continue;
      finish(handle, code);
      any = true;
      break;
    }
  }
  return any;
}

void HttpEngine::finish(std::list<std::unique_ptr<EasyHandle>>::iterator handle, CURLcode code) {
  CURL* const easy = (*handle)->get();
  auto& transfer = (*handle)->transfer();
  --in_flight_;
  if (!transfer.abandoned) {
    TransferResult result;
    result.failure = TransportFailure::other;
    if (easy != nullptr) result = (*handle)->result(code);
    transfer.mailbox->put({transfer.ticket, true, {}, std::move(result), {}});
  }
  if (easy != nullptr) curl_multi_remove_handle(multi_, easy);
  active_.erase(handle);
}

}  // namespace ctxmgr::http
