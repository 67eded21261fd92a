#include "ctxmgr/adapters/http_relay.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "adapters/curl/failure.hpp"
#include "adapters/curl/service.hpp"
#include "core/ascii.hpp"

namespace ctxmgr {

HttpAnswer::~HttpAnswer() = default;

namespace {

using std::chrono::steady_clock;

// Cancellation and time limits are looked at this often while nothing arrives.
constexpr std::chrono::milliseconds relay_poll_interval{50};

class RelayedAnswer final : public HttpAnswer {
 public:
  RelayedAnswer(std::shared_ptr<http::Service> service, std::shared_ptr<http::Transfer> transfer)
      : service_(std::move(service)), transfer_(std::move(transfer)) {}
  RelayedAnswer(const RelayedAnswer&) = delete;
  RelayedAnswer& operator=(const RelayedAnswer&) = delete;
  ~RelayedAnswer() override {
    if (!done_) service_->engine().abandon(*transfer_);
  }

  [[nodiscard]] int status() const override { return head_->status; }
  [[nodiscard]] const HttpHeaders& headers() const override { return head_->headers; }

  Result<void> wait_for_head(const CallOptions& call) {
    while (head_ == nullptr) {
      if (auto received = receive(call); !received) return received;
      if (head_ == nullptr && done_) return fail(ErrorCode::unavailable, "the service closed the connection");
    }
    return {};
  }

  Result<std::optional<std::string>> next(const CallOptions& call) override {
    while (bytes_.empty() && !done_) {
      if (auto received = receive(call); !received) return tl::unexpected(received.error());
    }
    // What came before the connection broke is delivered before the error.
    if (!bytes_.empty()) return std::optional<std::string>(std::exchange(bytes_, {}));
    if (failure_ != http::TransportFailure::none) return tl::unexpected(http::classify_failure(failure_).error);
    return std::optional<std::string>();
  }

 private:
  Result<void> receive(const CallOptions& call) {
    if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "cancelled by the caller");
    auto letters = transfer_->mailbox->take(steady_clock::now() + relay_poll_interval);
    if (letters.empty()) return check_time(call);
    std::size_t taken = 0;
    for (auto& letter : letters) {
      taken += letter.bytes.size();
      if (letter.head != nullptr) head_ = letter.head;
      bytes_ += letter.bytes;
      if (!letter.done) continue;
      done_ = true;
      failure_ = letter.result.failure;
    }
    transfer_->waiting_bytes -= taken;
    if (!done_ && transfer_->is_paused) service_->engine().go_on(*transfer_);
    if (head_ == nullptr && failure_ != http::TransportFailure::none)
      return tl::unexpected(http::classify_failure(failure_).error);
    return {};
  }

  /// Whether to wait on. Asked where nothing has come: a reader that was slow itself finds what came in the meantime.
  Result<void> check_time(const CallOptions& call) const {
    const auto now = steady_clock::now();
    if (call.deadline && now >= *call.deadline)
      return fail(ErrorCode::deadline_exceeded, "the deadline passed before the service answered");
    const auto started = transfer_->started_at.load();
    if (started == http::TimePoint{}) return {};
    const auto& limits = service_->limits();
    if (now - started > limits.total_timeout)
      return fail(ErrorCode::deadline_exceeded, "the call took longer than total_timeout");
    const auto last = transfer_->last_byte_at.load();
    const bool has_begun = last != http::TimePoint{};
    const auto since = has_begun ? last : std::max(started, transfer_->last_sent_at.load());
    if (now - since > (has_begun ? limits.idle_timeout : limits.first_byte_timeout))
      return tl::unexpected(http::classify_failure(http::TransportFailure::silent).error);
    return {};
  }

  const std::shared_ptr<http::Service> service_;
  const std::shared_ptr<http::Transfer> transfer_;
  std::shared_ptr<const http::HttpReply> head_;
  std::string bytes_;
  bool done_ = false;
  http::TransportFailure failure_ = http::TransportFailure::none;
};

Result<std::shared_ptr<const http::HeaderList>> header_list(const HttpHeaders& headers) {
  auto list = std::make_shared<http::HeaderList>();
  bool ok = list->add_absent("Expect");  // See Service.
  for (const auto& [name, value] : headers) {
    if (!http::is_valid_header(name, value))
      return fail(ErrorCode::invalid_argument, "a header's name or value holds characters that no header may");
    ok = ok && list->add(name, value);
  }
  if (!ok) return fail(ErrorCode::unavailable, "libcurl has no memory");
  return list;
}

/// libcurl would resolve them, and leave the path of the base URL.
bool has_dot_segment(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool is_dot = ascii::equals_ignoring_case(path.substr(i, 3), "%2e");
    plain += is_dot ? '.' : path[i];
    if (is_dot) i += 2;
  }
  for (std::string_view left = plain; !left.empty();) {
    const auto end = left.find('/');
    const auto segment = left.substr(0, end);
    if (segment == "." || segment == "..") return true;
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return false;
}

Result<std::unique_ptr<HttpAnswer>> send(const std::shared_ptr<http::Service>& service, const std::string& method,
                                         const std::string& path, std::string body, const HttpHeaders& headers,
                                         const CallOptions& call) {
  auto& engine = service->engine();
  if (!engine.is_usable()) return fail(ErrorCode::internal, "the relay was made before a fork; make another one");
  if (path.empty() || path.front() != '/' || has_dot_segment(path))
    return fail(ErrorCode::invalid_argument, "the path has to begin with a slash, without dot segments");
  if (method.empty() || !http::is_valid_header(method, ""))
    return fail(ErrorCode::invalid_argument, "the method is none");
  const auto list = header_list(headers);
  if (!list) return tl::unexpected(list.error());
  auto request = service->request(path, std::move(body));
  request.headers = *list;
  request.delivery = http::Delivery::relay;
  request.method = method;
  auto transfer = std::make_shared<http::Transfer>(std::move(request), std::make_shared<http::Mailbox>(), 0);
  engine.submit(transfer);
  auto answer = std::make_unique<RelayedAnswer>(service, std::move(transfer));
  if (auto head = answer->wait_for_head(call); !head) return tl::unexpected(head.error());
  return std::unique_ptr<HttpAnswer>(std::move(answer));
}

}  // namespace

bool is_context_length_refusal(int status, std::string_view body) {
  if (status < 400) return false;
  http::HttpReply reply;
  reply.status = status;
  return http::classify_error(reply, http::parse_service_error(body), {}).error.code ==
         ErrorCode::context_length_exceeded;
}

Result<HttpRelay> make_http_relay(const CurlLlmClientOptions& options) {
  auto service = http::Service::open(options, http::Credentials::with_each_request);
  if (!service) return tl::unexpected(service.error());
  return HttpRelay(
      [service = std::shared_ptr<http::Service>(std::move(*service))](
          const std::string& method, const std::string& path, std::string body, const HttpHeaders& headers,
          const CallOptions& call) { return send(service, method, path, std::move(body), headers, call); });
}

}  // namespace ctxmgr
