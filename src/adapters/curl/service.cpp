#include "adapters/curl/service.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/ascii.hpp"

namespace ctxmgr::http {
namespace {

constexpr const char* anthropic_version = "2023-06-01";

bool has_credentials(const CurlLlmClientOptions& options) {
  if (!options.api_key.empty()) return true;
  return std::any_of(options.headers.begin(), options.headers.end(), [](const auto& header) {
    const auto name = ascii::lower_case(header.first);
    return name == "authorization" || name == "api-key" || name == "x-api-key";
  });
}

Result<void> check(const CurlLlmClientOptions& options, const BaseUrl& base, Credentials credentials) {
  const bool plain_is_fine = base.is_loopback || options.allow_plain_http;
  if (!base.is_https && !plain_is_fine) {
    return fail(ErrorCode::invalid_argument,
                "base_url is plain http to another machine: use https, or set allow_plain_http");
  }
  const bool needs_key = credentials == Credentials::of_options && base.is_https && !base.is_loopback;
  if (needs_key && !has_credentials(options)) {
    return fail(ErrorCode::denied, "no api_key and no authorization header for the service");
  }
  if (!is_valid_header("authorization", options.api_key)) {
    return fail(ErrorCode::invalid_argument, "api_key holds control characters");
  }
  for (const auto& [name, value] : options.headers) {
    if (!is_valid_header(name, value)) {
      return fail(ErrorCode::invalid_argument, "headers: a name or a value holds characters that no header may");
    }
  }
  if (!is_valid_header("proxy", options.proxy)) {
    return fail(ErrorCode::invalid_argument, "proxy holds control characters");
  }
  if (!options.proxy.empty() && options.public_addresses_only) {
    return fail(ErrorCode::invalid_argument, "a proxy looks names up itself, past address_policy; use one of the two");
  }
  const std::array limits = {options.connect_timeout, options.first_byte_timeout, options.idle_timeout,
                             options.total_timeout};
  if (std::any_of(limits.begin(), limits.end(), [](auto limit) { return limit <= limit.zero(); })) {
    return fail(ErrorCode::invalid_argument, "time limits have to be longer than nothing");
  }
  if (options.max_parallel == 0 || options.max_attempts < 1 || options.max_attempts > 10) {
    return fail(ErrorCode::invalid_argument, "max_parallel has to be at least 1, max_attempts between 1 and 10");
  }
  return {};
}

/// The host's own headers win over the client's of the same name.
std::map<std::string, std::string> all_headers(const CurlLlmClientOptions& options) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : options.headers) headers.emplace(ascii::lower_case(name), value);
  headers.emplace("content-type", "application/json");
  headers.emplace("user-agent", "ctxmgr");
  const bool is_anthropic = options.wire_format == WireFormat::anthropic_messages;
  if (is_anthropic) headers.emplace("anthropic-version", anthropic_version);
  if (options.api_key.empty()) return headers;
  if (is_anthropic) {
    headers.emplace("x-api-key", options.api_key);
  } else {
    headers.emplace("authorization", "Bearer " + options.api_key);
  }
  return headers;
}

std::shared_ptr<const HeaderList> header_list(const CurlLlmClientOptions& options) {
  auto list = std::make_shared<HeaderList>();
  bool ok = true;
  for (auto& [name, value] : all_headers(options)) {
    ok = ok && list->add(name, value);
    wipe(value);
  }
  // Otherwise libcurl waits up to a second for "100 Continue" before it sends a body of a megabyte.
  ok = ok && list->add_absent("Expect");
  return ok ? list : nullptr;
}

Secrets secrets_of(const CurlLlmClientOptions& options) {
  Secrets secrets;
  secrets.add(options.api_key);
  secrets.add(options.proxy);
  for (const auto& [name, value] : options.headers) secrets.add(value);
  return secrets;
}

TransportOptions transport_options(const CurlLlmClientOptions& options, const BaseUrl& base) {
  TransportOptions transport;
  transport.connect_timeout = options.connect_timeout;
  transport.max_response_bytes = options.max_response_bytes;
  transport.max_parallel = options.max_parallel;
  transport.proxy = options.proxy;
  transport.ca_file = options.ca_file;
  transport.is_https = base.is_https;
  transport.public_addresses_only = options.public_addresses_only;
  return transport;
}

/// "…/v1" and "/v1/messages" meet in the middle.
std::string join(const std::string& base, std::string_view path) {
  constexpr std::string_view version = "/v1";
  const bool twice = path.substr(0, version.size()) == version && base.size() > version.size() &&
                     std::string_view(base).substr(base.size() - version.size()) == version;
  return base + std::string(twice ? path.substr(version.size()) : path);
}

}  // namespace

Service::Service(const CurlLlmClientOptions& options, BaseUrl base, std::shared_ptr<const HeaderList> headers,
                 std::unique_ptr<HttpEngine> engine)
    : base_(std::move(base)),
      limits_{options.max_attempts, options.first_byte_timeout, options.idle_timeout, options.total_timeout,
              2 * options.max_parallel},
      headers_(std::move(headers)),
      secrets_(secrets_of(options)),
      engine_(std::move(engine)) {}

Result<std::unique_ptr<Service>> Service::open(const CurlLlmClientOptions& options, Credentials credentials) {
  auto base = parse_base_url(options.base_url);
  if (!base) return tl::unexpected<Error>(base.error());
  if (const auto checked = check(options, *base, credentials); !checked) return tl::unexpected<Error>(checked.error());
  auto headers = header_list(options);
  if (headers == nullptr) return fail(ErrorCode::unavailable, "libcurl has no memory");
  auto engine = HttpEngine::start(transport_options(options, *base));
  if (!engine) return tl::unexpected<Error>(engine.error());
  return std::unique_ptr<Service>(new Service(options, *std::move(base), std::move(headers), *std::move(engine)));
}

HttpRequest Service::request(std::string_view path, std::string body) const {
  return {join(base_.url, path), std::move(body), headers_};
}

void Service::carry_out(const std::vector<Exchange*>& exchanges, const CallOptions& call) const {
  http::carry_out(exchanges, *engine_, budget_, limits_, call);
}

Error Service::redacted(Error error) const {
  error.message = secrets_.redacted(std::move(error.message));
  return error;
}

}  // namespace ctxmgr::http
