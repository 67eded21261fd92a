#include "adapters/curl/service.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ctxmgr::http {
namespace {

constexpr std::size_t shortest_secret = 6;  // Shorter header values are words like "true".
constexpr const char* anthropic_version = "2023-06-01";

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool has_credentials(const CurlLlmClientOptions& options) {
  if (!options.api_key.empty()) return true;
  return std::any_of(options.headers.begin(), options.headers.end(), [](const auto& header) {
    const auto name = lower_case(header.first);
    return name == "authorization" || name == "api-key" || name == "x-api-key";
  });
}

Result<void> check(const CurlLlmClientOptions& options, const BaseUrl& base) {
  const bool plain_is_fine = base.is_loopback || options.plain_http == PlainHttp::allowed;
  if (!base.is_https && !plain_is_fine) {
    return fail(ErrorCode::invalid_argument, "base_url is plain http to another machine; see plain_http");
  }
  if (base.is_https && !base.is_loopback && !has_credentials(options)) {
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
  if (options.max_parallel == 0 || options.max_attempts < 1 || options.max_attempts > 10) {
    return fail(ErrorCode::invalid_argument, "max_parallel has to be at least 1, max_attempts between 1 and 10");
  }
  return {};
}

std::map<std::string, std::string> all_headers(const CurlLlmClientOptions& options) {
  std::map<std::string, std::string> headers = {{"content-type", "application/json"}, {"user-agent", "ctxmgr"}};
  const bool is_anthropic = options.wire_format == WireFormat::anthropic_messages;
  if (is_anthropic) headers["anthropic-version"] = anthropic_version;
  if (!options.api_key.empty()) {
    if (is_anthropic) {
      headers["x-api-key"] = options.api_key;
    } else {
      headers["authorization"] = "Bearer " + options.api_key;
    }
  }
  for (const auto& [name, value] : options.headers) headers[lower_case(name)] = value;
  return headers;
}

std::vector<std::string> header_lines(const CurlLlmClientOptions& options) {
  std::vector<std::string> lines;
  // A semicolon is libcurl's way to send a header without a value.
  for (const auto& [name, value] : all_headers(options))
    lines.push_back(value.empty() ? name + ";" : name + ": " + value);
  return lines;
}

std::vector<std::string> secrets_of(const CurlLlmClientOptions& options) {
  std::vector<std::string> secrets = {options.api_key, options.proxy};
  for (const auto& [name, value] : options.headers) secrets.push_back(value);
  std::erase_if(secrets, [](const std::string& secret) { return secret.size() < shortest_secret; });
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
  transport.public_addresses_only = options.address_policy == AddressPolicy::public_only;
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

Service::Service(const CurlLlmClientOptions& options, BaseUrl base, std::unique_ptr<HttpEngine> engine)
    : base_(std::move(base)),
      limits_{options.max_attempts, options.first_byte_timeout, options.idle_timeout, options.total_timeout,
              2 * options.max_parallel},
      headers_(header_lines(options)),
      secrets_(secrets_of(options)),
      engine_(std::move(engine)) {}

Result<std::unique_ptr<Service>> Service::open(const CurlLlmClientOptions& options) {
  auto base = parse_base_url(options.base_url);
  if (!base) return tl::unexpected<Error>(base.error());
  if (const auto checked = check(options, *base); !checked) return tl::unexpected<Error>(checked.error());
  auto engine = HttpEngine::start(transport_options(options, *base));
  if (!engine) return tl::unexpected<Error>(engine.error());
  return std::unique_ptr<Service>(new Service(options, *std::move(base), *std::move(engine)));
}

HttpRequest Service::request(std::string_view path, std::string body) const {
  return {join(base_.url, path), std::move(body), headers_};
}

void Service::carry_out(const std::vector<Exchange*>& exchanges, const CallOptions& call) const {
  http::carry_out(exchanges, *engine_, budget_, limits_, call);
}

Error Service::redacted(Error error) const {
  for (const auto& secret : secrets_) {
    for (auto at = error.message.find(secret); at != std::string::npos; at = error.message.find(secret, at)) {
      error.message.replace(at, secret.size(), "***");
      at += 3;
    }
  }
  return error;
}

}  // namespace ctxmgr::http
