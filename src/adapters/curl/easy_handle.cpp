#include "adapters/curl/easy_handle.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "adapters/curl/base_url.hpp"
#include "adapters/curl/header_list.hpp"
#include "core/ascii.hpp"

namespace ctxmgr::http {
namespace {

constexpr std::size_t max_header_bytes = std::size_t{256} << 10;
constexpr long keepalive_s = 30;
constexpr unsigned unacknowledged_ms = 30'000;  // After this, what was sent will not be acknowledged any more.
constexpr std::string_view event_stream = "text/event-stream";

/// Writes the headers that matter down, or all of them. A new status line begins a new reply (after "100 Continue").
void note_header(std::string_view line, HttpReply& reply, bool all) {
  if (line.substr(0, 5) == "HTTP/") {
    reply = {};
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto name = line.substr(0, colon);
  const auto value = ascii::trimmed(line.substr(colon + 1));
  if (all) reply.headers.emplace_back(name, value);
  const std::array<std::pair<std::string_view, std::string*>, 6> wanted = {
      {{"content-type", &reply.content_type},
       {"retry-after", &reply.retry_after},
       {"retry-after-ms", &reply.retry_after_ms},
       {"x-should-retry", &reply.should_retry},
       {"x-request-id", &reply.request_id},  // OpenAI and most others
       {"request-id", &reply.request_id}}};  // Anthropic
  for (const auto& [wanted_name, field] : wanted) {
    if (ascii::equals_ignoring_case(name, wanted_name)) *field = value;
  }
}

TransportFailure failure_of(CURLcode code) {
  switch (code) {
    case CURLE_OK: return TransportFailure::none;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return TransportFailure::resolve;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY: return TransportFailure::connect;
    case CURLE_OPERATION_TIMEDOUT: return TransportFailure::connect_timeout;  // No other time limit is libcurl's.
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return TransportFailure::broken;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS: return TransportFailure::tls;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP_RETURNED_ERROR: return TransportFailure::malformed;
    default: return TransportFailure::other;
  }
}

/// Sets options until one is refused.
class OptionSetter {
 public:
  explicit OptionSetter(CURL* handle) : handle_(handle) {}

  template <class Value>
  void operator()(CURLoption option, Value value) {
    if (ok_) ok_ = curl_easy_setopt(handle_, option, value) == CURLE_OK;
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  CURL* const handle_;
  bool ok_ = true;
};

void set_method(const HttpRequest& request, OptionSetter& set) {
  const auto& method = request.method;
  const bool has_body = !request.body.empty() || method.empty() || method == "POST";
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (has_body) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  } else {
    set(CURLOPT_HTTPGET, 1L);
  }
  if (!method.empty() && method != "HEAD") set(CURLOPT_CUSTOMREQUEST, method.c_str());
}

}  // namespace

EasyHandle::EasyHandle(std::shared_ptr<Transfer> transfer, const TransportOptions& options)
    : transfer_(std::move(transfer)), options_(options), handle_(curl_easy_init()) {
  if (handle_ != nullptr && !configure()) {
    curl_easy_cleanup(handle_);
    handle_ = nullptr;
  }
}

EasyHandle::~EasyHandle() { curl_easy_cleanup(handle_); }

bool EasyHandle::configure() {
  OptionSetter set(handle_);
  set(CURLOPT_URL, transfer_->request.url.c_str());
  set(CURLOPT_HTTPHEADER, transfer_->request.headers->get());
  const bool is_relayed = transfer_->request.delivery == Delivery::relay;
  set_method(transfer_->request, set);
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_HEADERFUNCTION, &EasyHandle::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &EasyHandle::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &EasyHandle::on_progress);
  set(CURLOPT_XFERINFODATA, this);

  // Only the one protocol, and no second place to go: libcurl would send the key along to wherever it is redirected.
  set(CURLOPT_PROTOCOLS_STR, options_.is_https ? "https" : "http");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());
  set(CURLOPT_PROXY, options_.proxy.c_str());  // Set, if only to nothing, neither is looked for in the environment.
  set(CURLOPT_NOPROXY, options_.proxy.empty() ? "*" : "");
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // A proxy that tunnels does not get the key.
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (options_.public_addresses_only) {
    set(CURLOPT_OPENSOCKETFUNCTION, &EasyHandle::on_open_socket);
    set(CURLOPT_OPENSOCKETDATA, this);
  }

  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
  // A model that thinks for minutes sends nothing, and routers forget; and a peer that is gone has to be noticed before
  // everything that shares its connection has waited for it.
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, keepalive_s);
  set(CURLOPT_TCP_KEEPINTVL, keepalive_s);
  set(CURLOPT_SOCKOPTFUNCTION, &EasyHandle::on_socket);
  set(CURLOPT_TCP_NODELAY, 1L);
  if (!is_relayed) set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_PIPEWAIT, options_.is_https ? 1L : 0L);
#if LIBCURL_VERSION_NUM >= 0x075700
  set(CURLOPT_QUICK_EXIT, 1L);  // A cancelled call does not wait for a slow resolver.
#endif
  return set.ok();
}

TransferResult EasyHandle::result(CURLcode code) const {
  TransferResult result;
  result.failure = failure_of(code);
  if (transfer_->too_large) result.failure = TransportFailure::too_large;
  if (transfer_->vetoed) result.failure = TransportFailure::vetoed;
  long proxy_status = 0;
  curl_easy_getinfo(handle_, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  const bool is_refused = code != CURLE_OK && proxy_status >= 400 && proxy_status <= 499;
  if (is_refused) result.failure = TransportFailure::proxy;
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  result.reply = std::move(transfer_->reply);
  result.reply.status = static_cast<int>(status);
  return result;
}

void EasyHandle::deliver_head() {
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  constexpr long first_final_status = 200;
  if (status < first_final_status || transfer_->head_delivered) return;
  transfer_->head_delivered = true;
  HttpReply head = transfer_->reply;
  head.status = static_cast<int>(status);
  transfer_->mailbox->put({transfer_->ticket, false, {}, {}, std::make_shared<const HttpReply>(std::move(head))});
}

std::size_t EasyHandle::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& handle = *static_cast<EasyHandle*>(self);
  auto& transfer = handle.transfer();
  const bool is_relayed = transfer.request.delivery == Delivery::relay;
  transfer.header_bytes += size * count;
  if (transfer.header_bytes > max_header_bytes) {
    transfer.too_large = true;
    return 0;
  }
  const std::string_view line(bytes, size * count);
  note_header(line, transfer.reply, is_relayed);
  if (is_relayed && ascii::trimmed(line).empty()) handle.deliver_head();
  return size * count;
}

bool EasyHandle::must_wait(Transfer& transfer) {
  if (transfer.waiting_bytes < most_waiting_bytes) return false;
  transfer.is_paused = true;
  // The reader looks at the flag after it has taken bytes: one of the two sees what the other did.
  if (transfer.waiting_bytes >= most_waiting_bytes) return true;
  transfer.is_paused = false;
  return false;
}

// Called with decoded bytes, so that a small compressed reply cannot become a large one unnoticed.
std::size_t EasyHandle::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& handle = *static_cast<EasyHandle*>(self);
  auto& transfer = handle.transfer();
  const std::string_view piece(bytes, size * count);
  const bool is_relayed = transfer.request.delivery == Delivery::relay;
  if (is_relayed && !transfer.abandoned && must_wait(transfer)) return CURL_WRITEFUNC_PAUSE;
  transfer.last_byte_at = std::chrono::steady_clock::now();
  transfer.body_bytes += piece.size();
  if (transfer.abandoned) return 0;
  if (transfer.body_bytes > handle.options_.max_response_bytes) {
    transfer.too_large = true;
    return 0;
  }
  long status = 0;
  curl_easy_getinfo(handle.handle_, CURLINFO_RESPONSE_CODE, &status);
  const auto type = std::string_view(transfer.reply.content_type).substr(0, event_stream.size());
  const bool is_stream = status == 200 && ascii::equals_ignoring_case(type, event_stream);
  if (is_stream || is_relayed) {
    if (is_relayed) transfer.waiting_bytes += piece.size();
    transfer.mailbox->put({transfer.ticket, false, std::string(piece), {}, {}});
  } else {
    transfer.reply.body += piece;
  }
  return piece.size();
}

int EasyHandle::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
  auto& handle = *static_cast<EasyHandle*>(self);
  if (sent > handle.sent_bytes_) handle.transfer().last_sent_at = std::chrono::steady_clock::now();
  handle.sent_bytes_ = sent;
  return 0;
}

int EasyHandle::on_socket(void*, curl_socket_t socket, curlsocktype) {
#ifdef TCP_USER_TIMEOUT
  static_cast<void>(setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms, sizeof(unacknowledged_ms)));
#endif
  return CURL_SOCKOPT_OK;
}

curl_socket_t EasyHandle::on_open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  if (!is_public_address(address->addr)) {
    static_cast<EasyHandle*>(self)->transfer().vetoed = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

}  // namespace ctxmgr::http
