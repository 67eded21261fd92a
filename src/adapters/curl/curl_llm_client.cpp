#include "ctxmgr/adapters/curl_llm_client.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "adapters/curl/completion_exchange.hpp"
#include "adapters/curl/service.hpp"
#include "adapters/curl/token_count_exchange.hpp"
#include "adapters/curl/wire.hpp"
#include "core/ascii.hpp"

namespace ctxmgr {
namespace {

const wire::Wire& wire_of(WireFormat format) {
  switch (format) {
    case WireFormat::openai_responses: return wire::openai_responses;
    case WireFormat::anthropic_messages: return wire::anthropic_messages;
    case WireFormat::openai_chat: break;
  }
  return wire::openai_chat;
}

MessageShape shape_of(const CurlLlmClientOptions& options, const std::string& host) {
  MessageShape shape;
  shape.user_first = options.wire_format == WireFormat::anthropic_messages;  // The rest, its form does by itself.
  if (options.wire_format == WireFormat::openai_chat) shape = message_shape_of_host(host);
  return options.message_shape.value_or(shape);
}

class CurlClient final : public CurlLlmClient {
 public:
  CurlClient(const CurlLlmClientOptions& options, std::unique_ptr<http::Service> service)
      : service_(std::move(service)), context_{*service_,
                                               wire_of(options.wire_format),
                                               quirks_,
                                               options.model,
                                               options.extra_body_json,
                                               shape_of(options, service_->host())} {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    return carry_out(request, nullptr, call);
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    std::vector<std::unique_ptr<http::CompletionExchange>> exchanges;
    std::vector<http::Exchange*> pointers;
    for (const auto& request : requests) {
      exchanges.push_back(std::make_unique<http::CompletionExchange>(context_, request, nullptr));
      pointers.push_back(exchanges.back().get());
    }
    service_->carry_out(pointers, call);
    std::vector<Result<LlmResponse>> results;
    results.reserve(requests.size());
    for (const auto& exchange : exchanges) results.push_back(exchange->take_result());
    return results;
  }

  Result<LlmResponse> stream(const LlmRequest& request, const std::function<void(std::string_view)>& on_text,
                             const CallOptions& call) override {
    return carry_out(request, &on_text, call);
  }

  Result<std::int64_t> count_input_tokens(const LlmRequest& request, const CallOptions& call) override {
    if (context_.wire.count_tokens_path.empty()) {
      return fail(ErrorCode::not_found, "this wire format has no endpoint that counts tokens");
    }
    http::TokenCountExchange exchange(context_, request);
    service_->carry_out({&exchange}, call);
    return exchange.take_result();
  }

 private:
  Result<LlmResponse> carry_out(const LlmRequest& request, const http::TextSink* on_text, const CallOptions& call) {
    http::CompletionExchange exchange(context_, request, on_text);
    service_->carry_out({&exchange}, call);
    return exchange.take_result();
  }

  const std::unique_ptr<http::Service> service_;
  http::QuirkMemory quirks_;
  const http::CompletionContext context_;
};

std::string from_env(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// "Name: value" on each line, as the services' own SDKs read it; they win over the client's headers.
void add_custom_headers(std::string_view lines, CurlLlmClientOptions& options) {
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto name = ascii::lower_case(std::string(ascii::trimmed(line.substr(0, colon))));
    options.headers[name] = ascii::trimmed(line.substr(colon + 1));
  }
}

}  // namespace

CurlLlmClient::~CurlLlmClient() = default;

CurlLlmClientOptions CurlLlmClientOptions::from_environment() {
  CurlLlmClientOptions options;
  const auto openai_key = from_env("OPENAI_API_KEY");
  const auto openai_url = from_env("OPENAI_BASE_URL");
  const auto anthropic_key = from_env("ANTHROPIC_API_KEY");
  const auto anthropic_token = from_env("ANTHROPIC_AUTH_TOKEN");
  const auto anthropic_url = from_env("ANTHROPIC_BASE_URL");
  const bool is_openai = !openai_key.empty() || !openai_url.empty();
  const bool is_anthropic = !anthropic_key.empty() || !anthropic_token.empty() || !anthropic_url.empty();
  if (!is_openai && is_anthropic) {
    options.wire_format = WireFormat::anthropic_messages;
    options.api_key = anthropic_key;
    if (!anthropic_token.empty()) options.headers["authorization"] = "Bearer " + anthropic_token;
    options.base_url = anthropic_url.empty() ? "https://api.anthropic.com" : anthropic_url;
    add_custom_headers(from_env("ANTHROPIC_CUSTOM_HEADERS"), options);
    return options;
  }
  options.api_key = openai_key;
  if (!openai_url.empty()) options.base_url = openai_url;
  if (const auto id = from_env("OPENAI_ORG_ID"); !id.empty()) options.headers["openai-organization"] = id;
  if (const auto id = from_env("OPENAI_PROJECT_ID"); !id.empty()) options.headers["openai-project"] = id;
  add_custom_headers(from_env("OPENAI_CUSTOM_HEADERS"), options);
  return options;
}

Result<std::unique_ptr<CurlLlmClient>> make_curl_llm_client(const CurlLlmClientOptions& options) {
  if (const auto extra = wire::check_extra_body(options.extra_body_json); !extra) {
    return tl::unexpected<Error>(extra.error());
  }
  auto service = http::Service::open(options);
  if (!service) return tl::unexpected<Error>(service.error());
  return std::make_unique<CurlClient>(options, *std::move(service));
}

}  // namespace ctxmgr
